import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

struct SettingsRuleTests {
    private static let good = "3c9e1f07ab5d48260bd3a1c7e9f24816"

    @Test func `a key is judged by its length and variety, and never shown`() {
        func judge(_ key: String) -> Finding {
            KeyCheckup.judge(
                source: .variable, key: key, minted: nil, isLoopback: false, isOpenToAll: false)
        }

        #expect(judge(Self.good).level == .ok)
        #expect(judge("short-but-visible").level == .warn)
        #expect(judge(String(repeating: "ab", count: 20)).level == .warn)
        #expect(!judge(Self.good).text.contains(Self.good))
        #expect(!judge("short-but-visible").text.contains("short-but-visible"))
    }

    @Test func `without a key it depends on who can reach the address`() {
        func judge(loopback: Bool, open: Bool = false, minted: String? = nil) -> Finding {
            KeyCheckup.judge(
                source: .none, key: nil, minted: minted, isLoopback: loopback, isOpenToAll: open)
        }

        #expect(judge(loopback: true).level == .ok)
        #expect(judge(loopback: false).found.contains("is made"))
        #expect(judge(loopback: false, minted: Self.good).found.contains("minted before"))
        #expect(judge(loopback: true, open: true).level == .warn)
    }

    @Test func `a minted key is found where the server finds it`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            try PrivateFile.replace(state.keyFile, with: Data("\n\n\(Self.good)\n".utf8))
            var configuration = ServerConfiguration()
            configuration.host = "0.0.0.0"
            let checkup = KeyCheckup(configuration: configuration, source: .none, state: state)

            #expect(try state.key().key == Self.good)
            #expect(checkup.look().first?.found.contains("minted before") == true)
        }
    }

    @Test(arguments: [
        ("ralph 2.10.1\n", Finding.Level.ok), ("ralph-cli v2.11", .ok), ("ralph 3.0.0", .ok),
        ("ralph 2.4.4", .warn), ("2.9.12", .warn), ("hello", .warn), ("", .warn),
    ])
    func `ralph is known from 2 10 on`(output: String, level: Finding.Level) {
        #expect(RalphCheckup.judge("/bin/ralph", .output(output)).level == level)
    }

    @Test func `in a demo it is the stand-in that counts`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/ralph-stand-in"
            #expect(StandInCheckup(path: path).look().map(\.level) == [.warn])

            let program = try directory.write("ralph-stand-in", "#!/bin/sh\n")
            #expect(chmod(program, 0o755) == 0)
            #expect(StandInCheckup(path: path).look().map(\.level) == [.ok])
        }
    }

    @Test func `a ralph that others can replace is told`() {
        func judge(_ owner: UInt32, _ mode: UInt32, _ directory: UInt32 = 0o755) -> Int {
            RalphCheckup.judge(
                "/bin/ralph", file: FileRights(owner: owner, mode: mode),
                directory: FileRights(owner: 0, mode: directory), user: 1000
            ).count
        }

        #expect(judge(1000, 0o755) == 0)
        #expect(judge(0, 0o755, 0o1777) == 0)
        #expect(judge(0, 0o757) == 1)
        #expect(judge(1001, 0o755) == 1)
        #expect(judge(1000, 0o755, 0o777) == 1)
        #expect(RalphCheckup.judge("/bin/ralph", .missing("no")).level == .fail)
        #expect(RalphCheckup.judge("/bin/ralph", .silent).level == .fail)
    }

    @Test func `of a script it is told which ralph merges start`() async throws {
        try await withTemporaryDirectory { directory in
            let script = try directory.write("ours/ralph", "#!/bin/sh\nexec ralph\n")
            let program = try directory.write("theirs/ralph", "")
            let finding = RalphCheckup.judge(script, namesake: program).first
            #expect(finding?.level == .ok)
            #expect(finding?.found == "\(script) is a script: merges and agents start \(program)")
            #expect(RalphCheckup.judge(script, namesake: script).isEmpty)
            #expect(RalphCheckup.judge(script, namesake: nil).isEmpty)
            #expect(RalphCheckup.judge(program, namesake: script).isEmpty)
        }
    }

    @Test func `a certificate is judged by its days`() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func judge(_ start: Double, _ end: Double) -> Finding.Level {
            CertificateCheckup.judge(
                "c.pem", from: now + start * 86_400, until: now + end * 86_400, fingerprint: "ab", now: now
            ).level
        }

        #expect(judge(-1, 90) == .ok)
        #expect(judge(-80, 13.9) == .warn)
        #expect(judge(-90, -0.1) == .fail)
        #expect(judge(1, 90) == .fail)
    }

    @Test func `devices are counted by what they may do`() {
        #expect(DeviceCheckup.judge([]).found == "none is paired")
        #expect(
            DeviceCheckup.judge([.steer, .watch, .steer]).found == "3 paired: 1 may watch, 2 may steer")
    }
}
