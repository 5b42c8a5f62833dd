import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// Finds what a start means by its names and paths, and lets nothing outside the roots be used.
///
/// Checks in the order of http-contract 3.4: directory, configuration, prompt. A path counts as what it is when
/// its links are resolved.
struct StartResolver: Sendable {
    /// Canonical paths; the first one is what relative paths and an absent directory mean.
    let roots: [String]
    /// Directories like `library/` of this package: `configs/`, `presets/`, `prompts/`, `hats/` below them may
    /// be used from anywhere.
    let libraries: [String]
    /// What a leading `~` stands for.
    let home: String

    /// A start with everything found.
    struct Resolved: Sendable, Equatable {
        var plan: LaunchPlan
        /// The session that a run in the plan's workspace belongs to.
        var directory: SessionDirectory
    }

    /// - Throws: ``Problem``: 400 `invalid_path`, 404 `config_not_found` and its kin, 400 `invalid_request`.
    func resolve(_ request: StartRequest) throws(Problem) -> Resolved {
        let workspace = try workspace(request.workingDirectory)
        var plan = LaunchPlan(workspace: workspace)
        if let config = request.config {
            guard let path = find(config, .configs, workspace) else {
                throw .notFound("config_not_found", config)
            }
            plan.config = path
        }
        plan.prompt = try prompt(request, workspace)
        if let hats = request.hats { plan.hats = try self.hats(hats, workspace) }
        plan.maxIterations = request.maxIterations
        plan.backend = request.backend
        plan.worktree = request.worktree
        let session = (workspace == "/" ? "" : workspace) + "/" + SessionDirectory.ralphName
        return Resolved(
            plan: plan,
            directory: SessionDirectory(path: session, workspace: workspace, layout: .ralph))
    }

    // MARK: Parts

    private func workspace(_ given: String?) throws(Problem) -> String {
        let root = roots.first ?? "/"
        guard let given else { return root }
        var path = given
        if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
        if !path.hasPrefix("/") { path = root + "/" + path }
        guard let real = Self.canonical(path), Self.kind(real) == .typeDirectory, isInside(real, roots) else {
            throw .invalidPath("working directory not found: \(Problem.oneLine(given))")
        }
        let session = real + "/" + SessionDirectory.ralphName
        guard let canonical = Self.canonical(session), canonical != session else { return real }
        throw .invalidPath("the session directory of \(Problem.oneLine(given)) is a link")
    }

    private func prompt(_ request: StartRequest, _ workspace: String) throws(Problem) -> LaunchPlan.Prompt {
        if let name = request.promptPath {
            guard let path = find(name, .prompts, workspace) else {
                throw .notFound("prompt_not_found", name)
            }
            return .file(path)
        }
        if let text = request.prompt, text.contains(where: { !$0.isWhitespace }) { return .text(text) }
        throw .invalidRequest("prompt_path or prompt is required")
    }

    private func hats(_ name: String, _ workspace: String) throws(Problem) -> String {
        if name.hasPrefix("builtin:") {
            let word = name.dropFirst("builtin:".count)
            let isPlain = word.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            }
            guard !word.isEmpty, isPlain else { throw .invalidRequest("hats: no builtin has such a name") }
            return name
        }
        guard let path = find(name, .hats, workspace) else { throw .notFound("hats_not_found", name) }
        return path
    }

    // MARK: Finding

    /// What is looked for, where, and with which endings where only a name is given.
    private enum Shelf {
        case configs, prompts, hats

        var folders: [String] {
            switch self {
            case .configs: ["presets"]
            case .prompts: ["prompts"]
            case .hats: ["hats", SessionDirectory.ralphName + "/hats"]
            }
        }

        var libraryFolders: [String] {
            switch self {
            case .configs: ["configs", "presets"]
            case .prompts: ["prompts"]
            case .hats: ["hats"]
            }
        }

        var endings: [String] { self == .prompts ? [".md"] : [".yml", ".yaml"] }
    }

    /// The file that `name` means; `nil`: there is none, or it lies outside the roots and libraries.
    private func find(_ name: String, _ shelf: Shelf, _ workspace: String) -> String? {
        var candidates: [String] = []
        if name.hasPrefix("/") {
            candidates = [name]
        } else {
            let places = [workspace] + roots.filter { $0 != workspace }
            candidates = places.map { $0 + "/" + name }
            for place in places + libraries {
                let folders = libraries.contains(place) ? shelf.libraryFolders : shelf.folders
                for folder in folders {
                    candidates += shelf.endings.map { "\(place)/\(folder)/\(name)\($0)" }
                }
            }
            candidates += libraries.map { $0 + "/" + name }
        }
        for candidate in candidates {
            guard let real = Self.canonical(candidate), isInside(real, roots + libraries),
                Self.kind(real) == .typeRegular
            else { continue }
            return real
        }
        return nil
    }

    private func isInside(_ path: String, _ directories: [String]) -> Bool {
        directories.contains { $0 == "/" || path == $0 || path.hasPrefix($0 + "/") }
    }

    /// The path with every link resolved (realpath(3)); `nil`: there is no such thing.
    static func canonical(_ path: String) -> String? {
        guard path.utf8.count < Int(PATH_MAX), !path.utf8.contains(0), let pointer = realpath(path, nil)
        else {
            return nil
        }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }

    private static func kind(_ path: String) -> FileAttributeType? {
        // Nothing is lost: what cannot be looked at cannot be used either.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType
    }
}
