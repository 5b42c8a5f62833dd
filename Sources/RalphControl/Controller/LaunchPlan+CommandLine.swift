import Foundation
import RalphSessions

/// What a run that was started elsewhere would be continued with (contract 4.9).
extension LaunchPlan {
    /// Flags of contract 4.7 that take a value and are not for a continuation.
    private static let otherValueFlags: Set = ["--loop-id", "--idle-timeout", "--record-session"]
    private static let longNames = [
        "-c": "--config", "-H": "--hats", "-p": "--prompt", "-P": "--prompt-file", "-b": "--backend",
        "-a": "--autonomous",
    ]

    /// The plan that `commandLine` (program first) stands for, in the run's directory `workspace`.
    ///
    /// - Parameters:
    ///   - directory: where its process works; `nil`: in the workspace.
    ///   - standardConfig: its `RALPH_CONFIG`, which counts where no file is named; `nil`: it has none.
    ///   - files: those that were noted to be there; `nil`: the disk is asked, which may not answer.
    init(
        commandLine: [String], workspace: String, directory: String? = nil, standardConfig: String? = nil,
        files: RunRecord.Files? = nil
    ) {
        let directory = directory ?? workspace
        self.init(workspace: workspace)
        mode = .headless
        isForeign = true
        let words = Self.words(of: commandLine)
        arguments = words.arguments
        for (flag, value) in words.flags {
            if let mode = Mode(rawValue: flag) {
                self.mode = mode
            } else if flag == Self.skipPreflight {
                skipsPreflight = true
            } else if let value {
                take(flag, value, in: directory, files)
            }
        }
        if config == nil, let standardConfig { config = Self.source(standardConfig, in: directory) }
    }

    /// Whether `commandLine` (program first) says that agents get no terminal; `false`: they do, or whether they do is up to
    /// where the run was started (contract 4.7).
    static func isHeadless(_ commandLine: [String]) -> Bool {
        let mode = words(of: commandLine).flags.compactMap { Mode(rawValue: $0.flag) }.last
        return mode == .headless || mode == .autonomous
    }

    /// The flags of `commandLine` (program first) by their long names, the values of those that take one, and what stands
    /// behind `--`.
    private static func words(
        of commandLine: [String]
    ) -> (flags: [(flag: String, value: String?)], arguments: [String]) {
        var found: [(flag: String, value: String?)] = []
        var rest = commandLine.dropFirst()
        while let word = rest.popFirst(), word != "--" {
            for (flag, glued) in flags(in: word) {
                found.append((flag, takesValue(flag) ? glued ?? rest.popFirst() : nil))
            }
        }
        return (found, Array(rest))
    }

    /// The flags of a word by their long names, and the value that is glued to the last (`--max-iterations=3`, `-cralph.yml`,
    /// `-ap`, `-vc=ralph.yml`).
    private static func flags(in word: String) -> [(flag: String, value: String?)] {
        if word.hasPrefix("--") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            return [(parts.first ?? word, parts.count > 1 ? parts[1] : nil)]
        }
        var found: [(flag: String, value: String?)] = []
        var rest = word.hasPrefix("-") ? word.dropFirst() : ""
        while let letter = rest.popFirst() {
            // Others say nothing of a continuation.
            guard let name = longNames["-\(letter)"] else { continue }
            guard takesValue(name) else {
                found.append((name, nil))
                continue
            }
            let value = rest.hasPrefix("=") ? rest.dropFirst() : rest
            found.append((name, value.isEmpty ? nil : String(value)))
            break
        }
        return found
    }

    private static func takesValue(_ flag: String) -> Bool {
        switch flag {
        case "--config", "--hats", "--prompt", "--prompt-file", "--backend", "--max-iterations",
            "--completion-promise":
            true
        default: otherValueFlags.contains(flag)
        }
    }

    private static func absolute(_ path: String, in directory: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }

    /// The absolute path of a configuration, or its address as it is.
    private static func source(_ value: String, in directory: String) -> String {
        ConfigurationLayers.isAddress(value) ? value : absolute(value, in: directory)
    }

    /// A preset is named by its bare name, as long as no file here has it.
    private static func hats(_ value: String, in directory: String, _ files: RunRecord.Files?) -> String {
        let path = absolute(value, in: directory)
        let isThere = files.map { $0.hats == path } ?? FileManager.default.fileExists(atPath: path)
        return isThere ? path : value
    }

    private mutating func take(
        _ flag: String, _ value: String, in directory: String, _ files: RunRecord.Files?
    ) {
        switch flag {
        case "--config" where value.hasPrefix("core.") && value.contains("="): overrides.append(value)
        // Only the first file counts.
        case "--config": config = config ?? Self.source(value, in: directory)
        case "--hats": hats = Self.hats(value, in: directory, files)
        case "--prompt": prompt = .text(value)
        case "--prompt-file": prompt = .file(Self.absolute(value, in: directory))
        case "--backend": backend = value
        case "--max-iterations": maxIterations = UInt32(value).flatMap { $0 > 0 ? Int($0) : nil }
        case "--completion-promise": completionPromise = value
        default: break
        }
    }
}
