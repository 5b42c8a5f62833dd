import Foundation
import Glibc

/// One turn of the agent: the process and what it prints.
struct AgentProcess {
    /// How the turn ended.
    struct Outcome {
        /// As a shell tells it.
        let code: Int32
        let output: String
    }

    /// How the agent is to be run.
    struct Plan {
        var arguments: [String]
        let environment: [String: String]
        let directory: String
        /// Given on standard input if that is how the backend takes it.
        let input: String?
        let onTerminal: Bool
    }

    private let child: ChildProcess
    private var sources: [Int32]

    /// Starts the agent.
    init(_ plan: Plan) throws(StandInError) {
        var descriptors = ChildProcess.Descriptors()
        var inputPipe: (reading: Int32, writing: Int32)?
        if plan.input != nil {
            inputPipe = try DescriptorPair.pipe()
            descriptors.input = inputPipe?.reading
        }
        if plan.onTerminal {
            let terminal = try DescriptorPair.terminal()
            defer { close(terminal.slave) }
            child = try ChildProcess(
                plan.arguments, environment: plan.environment, directory: plan.directory,
                place: .session(terminal: terminal.path), descriptors: descriptors)
            sources = [terminal.master]
        } else {
            let output = try DescriptorPair.pipe()
            let error = try DescriptorPair.pipe()
            descriptors.output = output.writing
            descriptors.error = error.writing
            defer { [output.writing, error.writing].forEach { close($0) } }
            child = try ChildProcess(
                plan.arguments, environment: plan.environment, directory: plan.directory, place: .ownGroup,
                descriptors: descriptors)
            sources = [output.reading, error.reading]
        }
        for source in sources { _ = fcntl(source, F_SETFL, O_NONBLOCK) }
        if let inputPipe {
            close(inputPipe.reading)
            Output.write(Array((plan.input ?? "").utf8), to: inputPipe.writing)
            close(inputPipe.writing)
        }
    }

    /// Waits for the end of the turn.
    ///
    /// - Parameters:
    ///   - received: gets all that the agent prints, as it comes.
    ///   - idle: called at least every 20 ms; where an interrupt is noticed.
    mutating func run(received: ([UInt8]) -> Void, idle: () throws(StandInError) -> Void)
        throws(StandInError) -> Outcome
    {
        var output: [UInt8] = []
        while true {
            try idle()
            var polls = sources.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polls, nfds_t(polls.count), sources.isEmpty ? 2 : 20)
            let status = child.status()
            drain { bytes in
                output += bytes
                received(bytes)
            }
            if let status {
                sources.forEach { close($0) }
                return Outcome(
                    code: ChildProcess.code(status), output: String(decoding: output, as: UTF8.self))
            }
        }
    }

    /// Reads what is there; a source that has ended is dropped.
    private mutating func drain(_ received: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for source in sources {
            while true {
                let count = read(source, &buffer, buffer.count)
                if count > 0 {
                    received(Array(buffer.prefix(count)))
                } else if count < 0 && (errno == EAGAIN || errno == EINTR) {
                    break
                } else {
                    close(source)
                    sources.removeAll { $0 == source }
                    break
                }
            }
        }
    }
}
