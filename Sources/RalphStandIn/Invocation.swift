/// What one command line asks for.
enum Invocation {
    case version
    case help(String)
    case run(RunOptions)
    case emit(EmitRequest)
    case loops(LoopsRequest)
    case tools(ToolsRequest)
    case agent(AgentOptions)
    case validate(ConfigurationSources)

    /// Reads the arguments after the program's name.
    init(_ arguments: [String]) throws(StandInError) {
        var reader = ArgumentReader(arguments)
        var sources = ConfigurationSources()
        while let argument = try reader.next() {
            switch argument {
            case .option("-c"), .option("--config"): sources.files.append(try reader.value())
            case .option("-H"), .option("--hats"): sources.hats.append(try reader.value())
            case .option("--version"), .option("-V"):
                self = .version
                return
            case .option("--help"), .option("-h"):
                self = .help(Self.usage)
                return
            case .option("-v"), .option("--verbose"): continue
            case .option("--color"): _ = try reader.value()
            case .option(let name): throw .usage("unexpected argument '\(name)' found")
            case .word(let command):
                self = try Self.command(command, sources, &reader)
                return
            }
        }
        throw .usage("a command is required")
    }

    private static func command(
        _ name: String, _ sources: ConfigurationSources, _ reader: inout ArgumentReader
    ) throws(StandInError) -> Invocation {
        switch name {
        case "run": return .run(try RunOptions(&reader, sources))
        case "emit": return .emit(try EmitRequest(&reader))
        case "loops": return .loops(try LoopsRequest(&reader))
        case "tools": return .tools(try ToolsRequest(&reader))
        case "agent": return try agent(&reader)
        case "preflight", "hats": return .validate(try validation(&reader, sources))
        default: throw .usage("unrecognized subcommand '\(name)'")
        }
    }

    private static func agent(_ reader: inout ArgumentReader) throws(StandInError) -> Invocation {
        let options = try AgentOptions(&reader)
        return options.wantsHelp ? .help(AgentScript.help) : .agent(options)
    }

    private static func validation(
        _ reader: inout ArgumentReader, _ given: ConfigurationSources
    ) throws(StandInError) -> ConfigurationSources {
        var sources = given
        while let argument = try reader.next() {
            switch argument {
            case .option("-c"), .option("--config"): sources.files.append(try reader.value())
            case .option("-H"), .option("--hats"): sources.hats.append(try reader.value())
            case .option("--strict"), .word("validate"): continue
            case .option("--format"), .option("--check"): _ = try reader.value()
            case .option(let name), .word(let name): throw .usage("unexpected argument '\(name)' found")
            }
        }
        return sources
    }

    private static let usage = """
        Usage: ralph [-c FILE]… [-H FILE]… COMMAND

        run, emit TOPIC [PAYLOAD], loops list|stop|resume|merge|retry|discard|prune, hats validate, preflight,
        tools task add|ensure|list|ready|start|close|fail|reopen|show, tools memory add|list|show|delete|search|prime|init,
        agent (a scripted agent, see `agent --help`)

        A stand-in for ralph 2.10.1: it behaves as the real program does where a server can see it.
        """
}
