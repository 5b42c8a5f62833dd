import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ExportRoutesTests {
    /// The lines of a page.
    private struct Page {
        let lines: [String]
        init(_ text: String) { lines = text.split(separator: "\n").map(String.init) }

        func object(_ index: Int) throws -> [String: Any] {
            let line = lines[index < 0 ? lines.count + index : index]
            return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
        /// What stands behind `"event":` in each line that has it.
        var events: [String] {
            lines.compactMap { line in
                line.range(of: #","event":"#).map { String(line[$0.upperBound...].dropLast()) }
            }
        }
    }

    private func export(_ server: RunningServer, _ id: String, _ query: String = "") async throws -> Page {
        let response = try await server.get("/api/sessions/\(id)/export\(query)")
        #expect(response.status == 200)
        return Page(response.text)
    }

    @Test func `an export holds the very bytes of the stream`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 30)
            let page = try await export(server, id)
            let stream = try await server.events("/api/sessions/\(id)/events?tail=all&follow=false")

            #expect(page.events == stream.compactMap { $0.data.first })
            let header = try page.object(0)
            #expect(header["format"] as? String == "ralph-session-export")
            #expect(header["session_id"] as? String == id)
            #expect((header["session"] as? [String: Any])?["id"] as? String == id)
            #expect(header["iterations"] is [Any])
            let trailer = try page.object(-1)
            #expect(trailer["next"] is NSNull)
            #expect((trailer["trailer"] as? [String: Any])?["events"] as? Int == page.events.count)
            #expect((trailer["trailer"] as? [String: Any])?["truncated"] as? Bool == false)
        }
    }

    @Test func `it is a download with a name`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            let headers = try await server.get("/api/sessions/\(id)/export").headers
            #expect(headers["content-type"] == "application/x-ndjson")
            let disposition = headers["content-disposition"] ?? ""
            #expect(disposition.hasPrefix("attachment; filename=\"session-\(id)-20"))
            #expect(disposition.hasSuffix("Z.ndjson\""))
        }
    }

    @Test func `pages follow each other with one chain`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 700)
            let whole = try await export(server, id)
            var query: String? = "?limit=300"
            var events: [String] = []
            var pages = 0
            while let next = query {
                let page = try await export(server, id, next)
                events += page.events
                pages += 1
                query = try page.object(-1)["next"] as? String
                guard let following = query else { break }
                let chain = try page.object(-1)["sha256"] as? String ?? "none"
                #expect(following.contains("chain=\(chain)"))
                #expect(try await export(server, id, following).object(0)["chain"] as? String == chain)
            }
            #expect(pages == 3)
            #expect(events == whole.events)
        }
    }

    @Test func `numbers beyond the ring are read from Ralph's files, and what is gone is a gap`() async throws
    {
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("w", lines: 50)
            for start in stride(from: 51, through: 451, by: 100) {
                try server.append("w", start...(start + 99))
                _ = try await server.waitForSession("w", events: start + 99)
            }
        } _: { server in
            let id = try await server.waitForSession("w", events: 550)
            let page = try await export(server, id)
            #expect(page.events.count == 550)
            let numbers = try (1...550).map { try page.object($0)["seq"] as? Int }
            #expect(numbers == Array(1...550))

            try FileManager.default.removeItem(atPath: server.root.path + "/w/.ralph/events.jsonl")
            let cut = try await export(server, id)
            let gap = try cut.object(1)["gap"] as? [String: Any]
            #expect(gap?["from"] as? Int == 1)
            #expect(gap?["reason"] as? String == "file_changed")
            // The deletion is an event too, and may take the place of an older one.
            #expect(cut.events.count >= 99)
        }
    }

    @Test func `a page ends at its bytes`() async throws {
        try await withServer { server in
            let text = String(repeating: "x", count: 60_000)
            let lines = (1...200).map {
                #"{"topic":"big","ts":"2026-11-21T03:20:36Z","payload":"\#($0)\#(text)"}"#
            }
            try server.root.write("w/.ralph/events.jsonl", lines.joined(separator: "\n") + "\n")
            let id = try await server.waitForSession("w", events: 200)
            let response = try await server.get("/api/sessions/\(id)/export")
            let page = Page(response.text)
            #expect(response.body.count >= 8 << 20 && response.body.count < 9 << 20)
            #expect((try page.object(-1)["trailer"] as? [String: Any])?["truncated"] as? Bool == true)
            let rest = try await export(server, id, page.object(-1)["next"] as? String ?? "")
            #expect(page.events.count + rest.events.count >= 200)
        }
    }

    @Test func `behind the newest event there is nothing`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 3)
            let page = try await export(server, id, "?after_seq=4611686018427387903")
            #expect(page.lines.count == 2)
        }
    }

    @Test(arguments: [
        ("?after_seq=-1", 400), ("?after_seq=x", 400), ("?limit=0", 400), ("?limit=20001", 400),
        ("?chain=ab", 400),
        ("?chain=\(String(repeating: "G", count: 64))", 400), ("?epoch=00000000", 409), ("?epoch=", 409),
        ("?%zz", 400),
    ])
    func `values that are none are refused`(_ query: String, _ status: Int) async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            #expect(try await server.get("/api/sessions/\(id)/export\(query)").status == status)
        }
    }
}
