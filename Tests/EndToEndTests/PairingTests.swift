import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// The commands by which a person pairs devices and takes leave of them.
    struct PairingTests {
        @Test func `a device is paired watches and is revoked by the commands alone`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...3, to: "a")
                let service = try await Service(in: place, ["--bind-all"])
                let id = try await service.session("a", events: 3, key: place.key())
                let pair = try await service.command(["pair", "--scope", "answer"])
                let paired = try await service.redeem(Self.line("Ticket", pair.output), name: "Phone")
                let token = ["X-Api-Key": paired["token"] as? String ?? ""]
                let stream = try await service.open("/api/sessions/\(id)/events", token)

                #expect(try await stream.event()?.id == "1")
                #expect(try await service.command(["devices"]).output.contains("answer"))
                let revoke = try await service.command(["devices", "revoke", "Phone"])
                #expect(revoke.status == 0 && revoke.output.hasSuffix(" Phone\n"))
                try await stream.waitForClose(within: .seconds(1))
                #expect(try await service.get("/api/sessions", headers: token).status == 401)
                #expect(try await service.command(["devices"]).output == "No device is paired.\n")
            }
        }

        @Test func `a device may do what its ticket said and no more`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place, ["--bind-all"])
                let answer = try await service.token(["--scope", "answer"])
                let steer = try await service.token([])

                #expect(try await service.post("/api/sessions/0123456789abcdef/steer", answer) == 403)
                #expect(try await service.post("/api/sessions/0123456789abcdef/steer", steer) == 404)
                #expect(try await service.post("/api/sessions/0123456789abcdef/stop", steer) == 403)
            }
        }

        @Test func `the command shows a code a typed ticket what it allows and a page`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                let pair = try await service.command([
                    "pair", "--name", "Kitchen", "--png", place.path + "/code.png",
                ])
                let ticket = try Self.line("Ticket", pair.output)

                #expect(pair.status == 0)
                #expect(ticket.wholeMatch(of: /([0-9A-Z]{5}-){5}[0-9A-Z]/) != nil)
                #expect(pair.output.contains("█"))
                #expect(!pair.output.contains("\u{1B}"))
                #expect(pair.output.contains("No other machine can reach this server"))
                #expect(try Self.line("Allows", pair.output).contains("steer"))
                #expect(try place.mode("code.png") == 0o600)
                let page = try Self.line("Page", pair.output).split(separator: "/").last ?? ""
                #expect(try await service.get("/" + page).text.contains(ticket))
                let device = try await service.redeem(ticket, name: "x")["device"] as? [String: Any]
                #expect(device?["name"] as? String == "Kitchen")
            }
        }

        @Test func `without a server pair says so and devices are read and revoked in the file`() async throws
        {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                _ = try await service.token(["--name", "Old phone"])
                service.process.kill()
                _ = try await service.process.exitStatus()
                let pair = try await service.command(["pair"])
                let list = try await service.command(["devices"])
                let id = try #require(list.output.split(separator: " ").first)

                #expect(pair.status == 1 && pair.errors.contains("No server runs on"))
                #expect(pair.errors.split(separator: "\n").count == 1)
                #expect(list.output.contains("Old phone"))
                #expect(try await service.command(["devices", "revoke", String(id.prefix(4))]).status == 0)
                #expect(try await service.command(["devices"]).output == "No device is paired.\n")
                #expect(try await service.command(["devices", "revoke", "Old phone"]).status == 1)
            }
        }

        @Test(arguments: [["devices"], ["devices", "--json"], ["devices", "revoke", "Phone"]])
        func `where no server ever ran nothing is known of devices`(_ command: [String]) async throws {
            try await withTemporaryDirectory { place in
                try FileManager.default.createDirectory(
                    atPath: place.path + "/empty", withIntermediateDirectories: true)
                for state in ["none", "empty"] {
                    let path = place.path + "/" + state
                    let process = try ServerProcess(command + ["--state-dir", path], in: place)

                    #expect(try await process.exitStatus() == 1)
                    #expect(process.output.isEmpty)
                    #expect(
                        process.errors == "ralph-mobile-server: Nothing is known at \(path); say --root or"
                            + " --state-dir as the server was started.\n")
                }
            }
        }

        @Test(arguments: ["--png", "--svg"])
        func `a place that cannot be written to is told before there is a ticket`(_ option: String)
            async throws
        {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                let path = place.path + "/none/code"
                // One more than tickets may be open.
                for _ in 0...16 {
                    let pair = try await service.command(["pair", option, path])
                    #expect(pair.status == 1 && pair.output.isEmpty)
                    #expect(
                        pair.errors == "ralph-mobile-server: \(option) \(path): No such file or directory.\n")
                }
                let first = try await service.command([
                    "pair", "--png", place.path + "/a.png", "--svg", path,
                ])

                #expect(first.status == 1)
                #expect(!FileManager.default.fileExists(atPath: place.path + "/a.png"))
                #expect(try await service.command(["pair"]).status == 0)
            }
        }

        @Test func `a refusal is told with one full stop`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                for _ in 1...16 { #expect(try await service.post("/api/pairing/tickets", [:]) == 201) }

                #expect(
                    try await service.command(["pair"]).errors
                        == "ralph-mobile-server: The server refuses (429): "
                        + "16 tickets are open; use one, or wait until one expires.\n")
            }
        }

        @Test func `a refused ticket leaves no picture behind and destroys none`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                let old = try place.write("old.svg", "<svg/>" + String(repeating: " ", count: 1 << 20))
                let files = ["--png", place.path + "/new.png", "--svg", old]
                let refused = try await service.command(
                    ["pair", "--name", String(repeating: "x", count: 81)] + files)

                #expect(refused.status == 1 && refused.errors.contains("The server refuses"))
                #expect(!FileManager.default.fileExists(atPath: place.path + "/new.png"))
                #expect(try String(contentsOfFile: old, encoding: .utf8).hasPrefix("<svg/> "))
                #expect(try await service.command(["pair"] + files).status == 0)
                #expect(try String(contentsOfFile: old, encoding: .utf8).hasSuffix("</svg>\n"))
                #expect(FileManager.default.contents(atPath: place.path + "/new.png")?.isEmpty == false)
            }
        }

        @Test(.enabled(if: ownAddress != nil, "the machine has no address but loopback"))
        func `a server on one address of the machine is found there`() async throws {
            try await withTemporaryDirectory { place in
                let address = try #require(Self.ownAddress)
                let service = try await Service(in: place, ["--bind", address])
                let pair = try await service.command(["pair"])

                #expect(pair.status == 0, "\(pair.errors)")
                #expect(try Self.line("Server", pair.output) == "\(address):\(service.port)")
            }
        }

        @Test func `the help of the program has the commands`() async throws {
            try await withTemporaryDirectory { place in
                let help = try ServerProcess(["--help"], in: place)

                #expect(try await help.exitStatus() == 0)
                for word in ["pair", "devices", "doctor"] { #expect(help.output.contains(word)) }
            }
        }

        /// An IPv4 address of this machine that is not loopback.
        private static var ownAddress: String? {
            Host.current().addresses.first { $0.contains(".") && !$0.hasPrefix("127.") }
        }

        /// The rest of the line that begins with `name`.
        static func line(_ name: String, _ output: String) throws -> String {
            let line = output.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return try #require(line, "\(output)").dropFirst(name.count).trimmingCharacters(in: .whitespaces)
        }
    }
}

extension TemporaryDirectory {
    /// The header with the key that a server here has minted.
    fileprivate func key() throws -> [String: String] {
        let text = try String(contentsOfFile: path + "/state/api-key", encoding: .utf8)
        return ["X-Api-Key": text.trimmingCharacters(in: .newlines)]
    }
}

extension Service {
    /// Runs a command of the program against this server, to its end.
    fileprivate func command(
        _ arguments: [String]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let process = try ServerProcess(
            arguments + ["--root", place.path + "/tree", "--state-dir", place.path + "/state"], in: place)
        let status = try await process.exitStatus()
        return (status, process.output, process.errors)
    }

    /// The id of the session in `workspace`, for somebody with a key.
    fileprivate func session(_ workspace: String, events: Int, key: [String: String]) async throws -> String {
        var id = ""
        try await eventually(within: .seconds(20), "session \(workspace)") {
            let list = try await get("/api/sessions", headers: key).json() as? [[String: Any]] ?? []
            id = list.first?["id"] as? String ?? ""
            return (list.first?["last_seq"] as? Int).map { $0 >= events } ?? false
        }
        return id
    }

    fileprivate func open(_ target: String, _ headers: [String: String]) async throws -> HTTPProbe {
        let probe = try HTTPProbe(port: port)
        try await probe.request(target, headers: headers)
        guard try await probe.head().status == 200 else { throw ProcessProblem("GET \(target) is refused") }
        return probe
    }

    /// The status of a request with an empty object.
    fileprivate func post(_ target: String, _ headers: [String: String]) async throws -> Int {
        try await send(target, "{}", headers).status
    }

    /// The answer to a redeemed ticket.
    fileprivate func redeem(_ ticket: String, name: String) async throws -> [String: Any] {
        let body = #"{"ticket":"\#(ticket)","name":"\#(name)"}"#
        return try await send("/api/pairing/redeem", body, [:]).object()
    }

    /// The header of a device that is paired by the command.
    fileprivate func token(_ arguments: [String]) async throws -> [String: String] {
        let pair = try await command(["pair"] + arguments)
        let paired = try await redeem(EndToEnd.PairingTests.line("Ticket", pair.output), name: "Phone")
        return ["X-Api-Key": try #require(paired["token"] as? String)]
    }

    private func send(
        _ target: String, _ body: String, _ headers: [String: String]
    ) async throws -> HTTPProbe.Response {
        let probe = try HTTPProbe(port: port)
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await probe.send(
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try await probe.response()
    }
}
