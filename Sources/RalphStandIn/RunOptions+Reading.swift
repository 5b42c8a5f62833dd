extension RunOptions {
    /// Reads what follows `run`.
    init(_ reader: inout ArgumentReader, _ sources: ConfigurationSources) throws(StandInError) {
        self.init()
        self.sources = sources
        var modes: [String] = []
        while let argument = try reader.next() {
            guard case .option(let name) = argument else {
                throw .usage("unexpected argument '\(argument)' found")
            }
            switch name {
            case "--": agentArguments = reader.remainder()
            case "--no-tui", "-a", "--autonomous", "--rpc", "--tui", "-i", "--interactive": modes.append(name)
            default: try take(name, &reader)
            }
        }
        guard modes.count <= 1 else {
            throw .usage("the argument '\(modes[0])' cannot be used with '\(modes[1])'")
        }
        mode = modes.first == "--rpc" ? .rpc : .headless
        guard prompt == nil || promptFile == nil else {
            throw .usage("the argument '--prompt <TEXT>' cannot be used with '--prompt-file <FILE>'")
        }
    }

    private mutating func take(_ name: String, _ reader: inout ArgumentReader) throws(StandInError) {
        switch name {
        case "-c", "--config": sources.files.append(try reader.value())
        case "-H", "--hats": sources.hats.append(try reader.value())
        case "-p", "--prompt": prompt = try reader.value()
        case "-P", "--prompt-file": promptFile = try reader.value()
        case "-b", "--backend": backend = try reader.value()
        case "--max-iterations": maxIterations = try reader.number()
        case "--completion-promise": completionPromise = try reader.value()
        case "--loop-id": loopID = try reader.value()
        case "--idle-timeout", "--record-session", "--color": _ = try reader.value()
        default: try takeFlag(name)
        }
    }

    private mutating func takeFlag(_ name: String) throws(StandInError) {
        switch name {
        case "--continue": isContinuation = true
        case "--exclusive": isExclusive = true
        case "--no-auto-merge": mergesAutomatically = false
        case "--dry-run": isDryRun = true
        case "-q", "--quiet", "-v", "--verbose", "--skip-preflight": break
        default: throw .usage("unexpected argument '\(name)' found")
        }
    }
}
