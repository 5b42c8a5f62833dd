import Foundation
import Logging
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Where the server listens, as flags and the variable say it together.
@Suite(.timeLimit(.minutes(1)))
struct AddressSettingsTests {
    /// What was said, and what comes of it; without an address it cannot be used.
    struct Said: Sendable, CustomTestStringConvertible {
        var port: Int?
        var bind: String?
        var bindAll = false
        var variable: String?
        var address: String?
        var warning: String?

        var testDescription: String { "\(bind ?? "") \(port ?? -1) \(bindAll) \(variable ?? "")" }
    }

    @Test(arguments: [
        Said(address: "127.0.0.1:8080"), Said(port: 1, bind: "::1", address: "[::1]:1"),
        Said(bind: "[::1]:9", address: "[::1]:9"), Said(port: 9, bind: "[::1]:9", address: "[::1]:9"),
        Said(port: 9, bindAll: true, address: "0.0.0.0:9"), Said(port: 8, bind: "[::1]:9"),
        Said(port: 8080, bind: "localhost:9"), Said(bind: "127.0.0.1", bindAll: true),
        Said(bind: "0.0.0.0", bindAll: true), Said(port: 70_000, bind: "localhost:9"),
        Said(port: 8, variable: "::1", address: "[::1]:8"),
        Said(port: 9, bindAll: true, variable: "0.0.0.0:9", address: "0.0.0.0:9"),
        Said(bind: "a:9", variable: "a:9", address: "a:9"), Said(bind: "a", variable: "a:9", address: "a:9"),
        Said(port: 9, bind: "a:9", variable: "a", address: "a:9"),
        Said(bind: "localhost", variable: "a", address: "a:8080", warning: "--bind localhost"),
        Said(bind: "a:8", variable: "a:9", address: "a:9", warning: "--bind a:8"),
        Said(bind: "a:9", variable: "a", address: "a:8080", warning: "--bind a:9"),
        Said(
            port: 8, bind: "localhost", variable: "a:9", address: "a:9",
            warning: "--bind localhost and --port 8"),
        Said(bindAll: true, variable: "a", address: "a:8080", warning: "--bind-all"),
        Said(port: 8, bindAll: true, variable: "a:9", address: "a:9", warning: "--bind-all and --port 8"),
        Said(bind: "a", bindAll: true, variable: "b"),
    ])
    func `flags that contradict each other are refused and the variable wins with a warning`(
        _ said: Said
    ) throws {
        var flags = ServerConfiguration.Flags()
        flags.roots = ["/"]
        (flags.port, flags.bind, flags.bindAll) = (said.port, said.bind, said.bindAll)
        let variables = said.variable.map { ["RALPH_MOBILE_SERVER_BIND": $0] } ?? [:]
        guard let address = said.address else {
            #expect(throws: ConfigurationProblem.self) {
                try ServerConfiguration(flags, environment: variables)
            }
            return
        }
        let configuration = try ServerConfiguration(flags, environment: variables)
        let warnings = said.warning.map { ["RALPH_MOBILE_SERVER_BIND wins over " + $0] }

        #expect(PairingAddress.text(host: configuration.host, port: configuration.port) == address)
        #expect(configuration.warnings == warnings ?? [])
    }

    @Test func `an empty path is no state directory`() {
        var flags = ServerConfiguration.Flags()
        flags.stateDirectory = ""
        #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(flags, environment: [:]) }
    }

    @Test func `an address that cannot be had is told with brackets around IPv6`() {
        #expect(
            ListenError(host: "::1", port: 8080, errnoCode: EADDRINUSE).description.hasPrefix(
                "Cannot listen on [::1]:8080: Address already in use"))
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a port is looked at where the server would listen`(host: String) throws {
        let socket = try ListeningSocket(host: "localhost", port: 0)
        defer { socket.close() }

        #expect(ListeningSocket.problem(host: host, port: socket.port) == "Address already in use")
        #expect(ListeningSocket.problem(host: host, port: 0) == nil)
        #expect(throws: ListenError.self) { try ListeningSocket(host: host, port: socket.port) }
    }

    @Test(arguments: [true, false])
    func `an address is free again when its socket is closed`(isAccepting: Bool) async throws {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        if isAccepting {
            try socket.accept(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { _ in }
        }
        #expect(socket.address == "127.0.0.1")
        socket.close()
        socket.close()

        #expect(socket.address == nil)
        try await eventually(within: .seconds(5), "a free address") {
            ListeningSocket.problem(host: "127.0.0.1", port: socket.port) == nil
        }
    }

    @Test(.enabled(if: ListeningSocket.problem(host: "::1", port: 0) == nil))
    func `the start is told with brackets around IPv6`() async throws {
        try await withServer({ $0.host = "::1" }) { server in
            try await eventually(within: .seconds(5), "start-up line") {
                server.said.all.contains("Starting ralph-mobile-server on [::1]:\(server.port)")
            }
        }
    }
}
