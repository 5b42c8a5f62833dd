import Foundation
import NIOPosix
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// Tickets over time, with a clock of the test's own.
@Suite(.timeLimit(.minutes(1)))
struct PairingTests {
    @Test func `a ticket that expires while nobody comes buys nothing`() async throws {
        try await withPairing { pairing, clock, _ in
            let invitation = try await pairing.invite(scope: .watch, name: nil, by: nil)
            clock.uptime.withLock { $0 += 180_000 }

            await #expect(throws: Problem.invalidTicket) {
                try await pairing.redeem(
                    invitation.ticket, name: DeviceName("a"), by: "10.0.0.1", isLocal: false)
            }
            #expect(pairing.devices.all.isEmpty)
        }
    }

    @Test func `setting the time of day neither ends a ticket nor makes it last`() async throws {
        try await withPairing { pairing, clock, _ in
            let invitation = try await pairing.invite(scope: .watch, name: nil, by: nil)
            #expect(invitation.expires_at == "1970-01-01T00:19:40.000Z")
            clock.now.withLock { $0 += 86_400_000 }
            clock.uptime.withLock { $0 += 1000 }
            let shown = try await pairing.invitation(for: invitation.ticket, isFollowed: false)
            #expect(shown.expires_at == "1970-01-02T00:19:39.000Z")
            clock.now.withLock { $0 = 0 }
            clock.uptime.withLock { $0 += 179_000 }

            await #expect(throws: Problem.invalidTicket) {
                try await pairing.redeem(
                    invitation.ticket, name: DeviceName("a"), by: "10.0.0.1", isLocal: false)
            }
        }
    }

    @Test func `a ticket whose device cannot be stored counts on`() async throws {
        try await withPairing { pairing, _, directory in
            let invitation = try await pairing.invite(scope: .watch, name: nil, by: nil)
            // A directory in the place of the file that a change is written to first.
            try directory.write("devices.json.new/x", "")

            await #expect(throws: Problem(DeviceProblem.notStored(""))) {
                try await pairing.redeem(
                    invitation.ticket, name: DeviceName("a"), by: "10.0.0.1", isLocal: false)
            }
            try directory.remove("devices.json.new")
            let paired = try await pairing.redeem(
                invitation.ticket, name: DeviceName("a"), by: "10.0.0.1", isLocal: false)
            #expect(pairing.devices.device(for: paired.token)?.name == "a")
        }
    }

    @Test func `of many who redeem one ticket at once one gets a token`() async throws {
        try await withPairing { pairing, _, _ in
            let ticket = try await pairing.invite(scope: .watch, name: nil, by: nil).ticket
            let tokens = await withTaskGroup(of: String?.self) { tasks in
                for index in 0..<50 {
                    tasks.addTask {
                        // A refusal is what most of them get.
                        try? await pairing.redeem(
                            ticket, name: DeviceName("a"), by: "10.0.0.\(index)", isLocal: false
                        ).token
                    }
                }
                return await tasks.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }

            #expect(tokens.count == 1)
            #expect(pairing.devices.all.count == 1)
        }
    }

    @Test func `a ticket that a device made counts no more when the device is gone`() async throws {
        try await withPairing { pairing, _, _ in
            let opener = try pairing.devices.register(name: "a", scope: .start, invitedBy: nil, at: 0).device
                .id
            let ticket = try await pairing.invite(scope: .start, name: nil, by: opener).ticket
            _ = try pairing.devices.revoke(opener)

            await #expect(throws: Problem.invalidTicket) {
                try await pairing.invitation(for: ticket, isFollowed: false)
            }
            await #expect(throws: Problem.invalidTicket) {
                try await pairing.redeem(ticket, name: DeviceName("b"), by: "10.0.0.1", isLocal: false)
            }
            #expect(pairing.devices.all.isEmpty)
        }
    }

    @Test func `a device that was revoked meanwhile neither makes a ticket nor gets another one in`()
        async throws
    {
        try await withPairing { pairing, _, _ in
            let gone = try pairing.devices.register(name: "a", scope: .start, invitedBy: nil, at: 0).device.id
            _ = try pairing.devices.revoke(gone)

            for _ in 0...PairingTickets.maximumTickets {
                await #expect(throws: Problem.unauthorized) {
                    try await pairing.invite(scope: .start, name: nil, by: gone)
                }
            }
            #expect(throws: DeviceProblem.inviterGone) {
                try pairing.devices.register(name: "b", scope: .start, invitedBy: gone, at: 0)
            }
            #expect(pairing.devices.all.isEmpty)
        }
    }

    @Test func `the ticket is neither the token nor kept anywhere`() async throws {
        try await withPairing { pairing, _, directory in
            let ticket = try await pairing.invite(scope: .watch, name: nil, by: nil).ticket
            let paired = try await pairing.redeem(
                ticket, name: DeviceName("a"), by: "10.0.0.1", isLocal: false)
            let stored = try String(contentsOfFile: directory.path + "/devices.json", encoding: .utf8)

            #expect(paired.token.hasPrefix("rmd_") && !paired.token.contains(ticket))
            #expect(!stored.contains(ticket) && !stored.contains(paired.token.dropFirst(4)))
        }
    }

    @Test func `a name that came with the ticket stands`() async throws {
        try await withPairing { pairing, _, _ in
            let named = try await pairing.invite(scope: .watch, name: DeviceName("Kitchen"), by: nil)
            let paired = try await pairing.redeem(
                named.ticket, name: DeviceName("Other"), by: "10.0.0.1", isLocal: false)

            #expect(paired.device.name == "Kitchen")
        }
    }

    @Test func `a ticket that cannot be told is none`() async throws {
        try await withPairing(host: "bücher") { pairing, _, _ in
            for _ in 0...PairingTickets.maximumTickets {
                await #expect(throws: Problem.notPairable) {
                    try await pairing.invite(scope: .watch, name: nil, by: nil)
                }
            }
        }
    }

    private func withPairing(
        host: String = "127.0.0.1", _ body: (Pairing, TestTime, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let threads = NIOThreadPool(numberOfThreads: 2)
            threads.start()
            let port = ListeningPort()
            port.set(8080)
            let clock = TestTime()
            let pairing = Pairing(
                devices: try DeviceBook(path: directory.path + "/devices.json"), threads: threads,
                host: host, port: port, fingerprint: { nil }, now: { clock.now.withLock { $0 } },
                uptime: { clock.uptime.withLock { $0 } })
            try await body(pairing, clock, directory)
            try await threads.shutdownGracefully()
        }
    }

    /// What time it is.
    private final class TestTime: Sendable {
        let now = Mutex<Int64>(1_000_000)
        let uptime = Mutex<Int64>(5_000)
    }
}
