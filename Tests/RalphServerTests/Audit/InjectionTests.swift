import Foundation
import Logging
import NIOCore
import NIOHTTP1
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

/// What others write, in names and in events, neither steers our terminal nor adds lines or headers of its own.
@Suite(.timeLimit(.minutes(1)))
struct InjectionTests {
    /// Wipes a screen, sets a title, ends lines in every way, and turns the reading around.
    private static let evil =
        "e\u{1b}[2J\u{1b}]0;x\u{7}\n\r\u{85}\u{9b}31m\u{2028}\u{2029}\u{202e}\u{2066}\u{7f}v"

    private static func isPlain(_ line: String) -> Bool {
        line.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }

    private static func row(_ topic: String, _ payload: String) throws -> String {
        let row = ["topic": topic, "payload": payload, "ts": "2026-01-01T00:00:00Z"]
        return String(decoding: try JSONSerialization.data(withJSONObject: row), as: UTF8.self) + "\n"
    }

    @Test func `a workspace whose name steers terminals is shown without effect`() async throws {
        let logged = Mutex<[String]>([])
        let name = "w\u{1b}[31m\nStarting ralph-mobile-server on evil:1\u{202e}"
        try await withTemporaryDirectory { directory in
            try directory.write(name + "/.ralph/events.jsonl", Self.row("a.b", "x"))
            // Unreadable, so that there is something to log.
            try directory.write(name + "/.ralph/current-events", "../../\(name)/x\n")
            let logger = TestLogger.make { line in logged.withLock { $0.append(line) } }
            try await withServer(in: directory, logger: logger) { server in
                _ = try await server.waitForSession(name, events: 0)
                try await eventually(within: .seconds(10), "a line of the log that names it") {
                    logged.withLock { $0.contains { $0.contains(#"w\u{1b}[31m\u{a}Starting"#) } }
                }
                try await eventually(within: .seconds(10), "start-up lines") {
                    server.said.all.contains { $0.hasPrefix("Starting ralph-mobile-server on 127") }
                }

                #expect(server.said.all.allSatisfy(Self.isPlain))
                #expect(server.said.all.contains { $0.contains(#"w\u{1b}[31m\u{a}Starting"#) })
            }
        }
        for line in logged.withLock({ $0 }) { #expect(Self.isPlain(String(line.dropLast())), "\(line)") }
    }

    @Test(arguments: ["events?follow=false&tail=all", "events?follow=false&tail=all&control=events"])
    func `a topic and a payload add no line to a stream of events`(_ stream: String) async throws {
        try await withTemporaryDirectory { directory in
            let topic = "a\u{1b}[31m\nevent: evil\r\ndata: {}\n\nid: 9\u{2028}\u{85}b"
            try directory.write("w/.ralph/events.jsonl", Self.row(topic, Self.evil + "\n\ndata: evil"))
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("w", events: 1)
                for path in ["/api/sessions/\(id)/\(stream)", "/api/\(stream)"] {
                    let probe = try await server.stream(path)
                    let frames = try await probe.eventsToEnd()
                    #expect(Set(frames.compactMap(\.event)).isSubset(of: ["workflow", "synced", "gap"]))
                    #expect(frames.allSatisfy { $0.data.count <= 1 && $0.id != "9" })
                    let texts = frames.flatMap(\.data)
                    #expect(!texts.isEmpty)
                    #expect(texts.allSatisfy { !$0.contains("\u{1b}") && !$0.contains("\u{2028}") })
                    #expect(texts.allSatisfy { !$0.contains("\u{85}") })
                }
            }
        }
    }

    @Test(arguments: [
        "/api/sessions/x%0d%0aX-Evil:%201", "/api/configs/x%0d%0aX-Evil:%201", "/api/loops/x%0aX-Evil:1",
        "/x%0d%0aX-Evil:%201", "/api/sessions/x%0d%0aX-Evil:%201/export",
    ])
    func `a path adds no header to an answer, and no line to the audit log`(_ path: String) async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            let key = ["X-Api-Key": TestSecrets.key]
            let response = try await server.get(path, headers: key)
            let deleted = try await server.send("DELETE", path, headers: key)

            for answer in [response, deleted] {
                #expect((400..<500).contains(answer.status))
                #expect(answer.headers["x-evil"] == nil)
                #expect(Self.isPlain(answer.text))
            }
            var lines: [String] = []
            try await eventually(within: .seconds(10), "lines of the audit log") {
                let file = server.root.path + "/.state/audit.jsonl"
                let data = FileManager.default.contents(atPath: file) ?? Data()
                lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
                return lines.contains { $0.contains("DELETE") }
            }
            #expect(lines.dropLast().allSatisfy { $0.hasPrefix("{\"seq\":") && Self.isPlain($0) })
        }
    }

    @Test func `a client that a trusted proxy names is an address and nothing else`() throws {
        let proxy = try #require(AddressRange("127.0.0.1"))
        let peer = Peer(try SocketAddress(ipAddress: "127.0.0.1", port: 1))
        let forged: HTTPHeaders = ["X-Forwarded-For": "fe80::1%\u{1b}[31m"]
        let zoned: HTTPHeaders = ["X-Forwarded-For": "fe80::1%eth0"]

        #expect(peer.behindProxies(forged, trusted: [proxy]).text == "127.0.0.1")
        #expect(peer.behindProxies(zoned, trusted: [proxy]).text == "fe80::1")
    }

    @Test func `the place of a thing is a path whatever its id`() {
        #expect(PercentEncoding.encode("a-b_C.9~") == "a-b_C.9~")
        #expect(PercentEncoding.encode("a\r\nX: ü/") == "a%0D%0AX%3A%20%C3%BC%2F")
    }

    @Test func `a log line is one line whatever it tells of`() {
        let lines = Mutex<[String]>([])
        var logger = TestLogger.make { line in lines.withLock { $0.append(line) } }
        logger[metadataKey: "own"] = "\(Self.evil)"
        logger.warning("\(Self.evil)", metadata: ["path": "\(Self.evil)", "list": ["\(Self.evil)"]])

        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(written.allSatisfy { $0.hasSuffix("\n") && Self.isPlain(String($0.dropLast())) })
        #expect(written.first?.contains(#"\u{1b}[2J"#) == true)
    }
}
