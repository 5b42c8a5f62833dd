import RalphServer
import RalphTestSupport
import Synchronization
import Testing

/// Whom a new event wakes an event loop for.
@Suite(.timeLimit(.minutes(1)))
struct WakeupTests {
    @Test func `a client that does not read wakes no event loop, and one that reads does`() async throws {
        try await withServer({ $0.streams.maximumLent = 0 }) { server in
            let id = try await server.session("a", lines: 1)
            let stalled = try server.probe()
            try await stalled.request("/api/sessions/\(id)/events")
            try server.appendLarge("a", 2...81, bytes: 200_000)
            _ = try await server.waitForSession("a", events: 81)
            let number = Mutex(81)
            func wakeupsOfOneLine() async throws -> Double {
                let before = try await server.figure("stream_loop_wakeups_total")
                let next = number.withLock {
                    $0 += 1
                    return $0
                }
                try server.append("a", next...next)
                _ = try await server.waitForSession("a", events: next)
                return try await server.figure("stream_loop_wakeups_total") - before
            }
            try await eventually(within: .seconds(20), "the connection is full") {
                let first = try await wakeupsOfOneLine()
                let second = try await wakeupsOfOneLine()
                return first == 0 && second == 0
            }
            for _ in 0..<10 { #expect(try await wakeupsOfOneLine() == 0) }

            let reader = try await server.stream("/api/sessions/\(id)/events?replay=none")
            while let frame = try await reader.frame() {
                if frame.comments.contains(where: { $0.hasPrefix("synced") }) { break }
            }
            let before = try await server.figure("stream_loop_wakeups_total")
            for _ in 0..<2 {
                _ = try await wakeupsOfOneLine()
                #expect(try await reader.eventIDs(1) == [number.withLock { $0 }])
            }
            #expect(try await server.figure("stream_loop_wakeups_total") > before)
        }
    }

    @Test func `nobody is woken for clients that have left, however early`() async throws {
        try await withServer({ $0.streams.maximumLent = 0 }) { server in
            let id = try await server.session("a", lines: 1)
            for _ in 0..<200 {
                let probe = try server.probe()
                try await probe.request("/api/sessions/\(id)/events")
                probe.close()
            }
            try await eventually(within: .seconds(20), "all have left") {
                // The one that asks is accepted after all others.
                try await server.figure("connections_open") == 1
            }
            let before = try await server.figure("stream_loop_wakeups_total")
            for number in 2...6 {
                try server.append("a", number...number)
                _ = try await server.waitForSession("a", events: number)
            }
            #expect(try await server.figure("stream_loop_wakeups_total") == before)
        }
    }
}
