import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// `doctor` against real directories.
@Suite(.timeLimit(.minutes(1)))
struct LocalExaminationTests {
    private func examine(
        _ place: TemporaryDirectory, environment: [String: String] = [:],
        certificate: CertificateFiles? = nil,
        _ change: (inout ServerConfiguration.Flags) -> Void = { _ in },
        ask: @escaping LocalExamination.Ask = { _ in nil }
    ) async throws -> [Finding] {
        try FileManager.default.createDirectory(
            atPath: place.path + "/tree", withIntermediateDirectories: true)
        var flags = ServerConfiguration.Flags()
        flags.roots = [place.path + "/tree"]
        flags.stateDirectory = place.path + "/state"
        flags.port = 0
        change(&flags)
        return await LocalExamination(
            flags, certificate: certificate, environment: environment.merging(["HOME": place.path]) { $1 },
            ask: ask
        ).findings()
    }

    private func state(_ place: TemporaryDirectory, mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: place.path + "/state", withIntermediateDirectories: true,
            attributes: [.posixPermissions: mode])
    }

    @Test func `a place that nothing was ever started on has nothing to mend, and stays as it is`()
        async throws
    {
        try await withTemporaryDirectory { place in
            let findings = try await examine(place)

            #expect(!findings.contains { $0.level == .fail }, "\(findings.map(\.text))")
            #expect(
                Set(findings.map(\.subject)).isSuperset(of: [
                    "bind", "port", "key", "server", "root", "inotify", "descriptors", "clock", "git",
                    "ralph",
                    "state", "store", "search", "devices", "tls", "phone",
                ]))
            #expect(try place.names(in: ".") == ["tree"])
        }
    }

    @Test func `a root that is missing is told, and the rest is looked at`() async throws {
        try await withTemporaryDirectory { place in
            let findings = try await examine(place) { $0.roots.append("/missing") }

            #expect(findings.first?.subject == "settings")
            #expect(findings.first?.level == .fail)
            #expect(findings.first?.found.contains("/missing") == true)
            #expect(findings.contains { $0.subject == "root" && $0.found.hasPrefix(place.path) })
        }
    }

    @Test func `a root that is a session directory itself is told`() async throws {
        try await withTemporaryDirectory { place in
            try place.write("tree/.ralph/events.jsonl", "")
            let findings = try await examine(place) { $0.roots = [place.path + "/tree/.ralph"] }

            let root = findings.first { $0.subject == "root" && $0.found.hasPrefix(place.path) }
            #expect(root?.level == .warn && root?.advice?.hasSuffix("--root \(place.path)/tree.") == true)
        }
    }

    @Test func `a state directory that others may write to fails`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            chmod(place.path + "/state", 0o775)
            try place.write("state/api-key", "k\n")
            chmod(place.path + "/state/api-key", 0o644)
            let found = try await examine(place).filter { $0.subject == "state" && $0.level == .fail }

            #expect(found.count == 2)
            #expect(found.first?.advice == "chmod 700 \(place.path)/state")
            #expect(found.last?.found.contains("api-key") == true)
        }
    }

    @Test func `a directory in the place of a file of the server's fails`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            try place.write("state/api-key/key", "k\n")
            let found = try await examine(place).filter { $0.subject == "state" && $0.level == .fail }

            #expect(found.map(\.found) == ["api-key is a directory"])
        }
    }

    @Test func `settings that contradict each other fail, and the rest is looked at`() async throws {
        try await withTemporaryDirectory { place in
            let nowhere = try await examine(place, environment: ["XDG_STATE_HOME": place.path + "/own"]) {
                $0.stateDirectory = ""
            }
            let twice = try await examine(place) {
                $0.bindAll = true
                $0.bind = "127.0.0.1"
            }
            let overridden = try await examine(
                place, environment: ["RALPH_MOBILE_SERVER_BIND": "127.0.0.1:0"]
            ) { $0.bindAll = true }

            for (findings, level) in [(nowhere, Finding.Level.fail), (twice, .fail), (overridden, .warn)] {
                #expect(findings.first?.subject == "settings")
                #expect(findings.first?.level == level)
                #expect(findings.contains { $0.subject == "state" && $0.level == .ok })
            }
        }
    }

    @Test func `a setting that is no value fails, and the rest is looked at`() async throws {
        try await withTemporaryDirectory { place in
            for (told, change) in [
                ("--port 70000", { $0.port = 70_000 }), ("--port -1", { $0.port = -1 }),
                ("--ring 5", { $0.ring = 5 }),
                ("--log-level loud", { $0.logLevel = "loud" }),
                ("--allowed-host a:1", { $0.allowedHosts = ["a:1"] }),
            ] as [(String, (inout ServerConfiguration.Flags) -> Void)] {
                let findings = try await examine(place, change)

                #expect(findings.first?.subject == "settings")
                #expect(findings.first?.level == .fail)
                #expect(findings.first?.found.hasPrefix(told) == true)
                #expect(findings.contains { $0.subject == "root" && $0.found.hasPrefix(place.path) })
                #expect(findings.contains { $0.subject == "state" && $0.level == .ok })
            }
        }
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func `a state directory that cannot be written fails`() async throws {
        try await withTemporaryDirectory { place in
            try state(place, mode: 0o500)
            let findings = try await examine(place)

            #expect(findings.contains { $0.subject == "state" && $0.found.contains("cannot be written") })
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a file system cannot be mounted here"))
    func `a state directory on a read-only file system is told, with what helps`() async throws {
        try await withTemporaryDirectory { place in
            let disk = try #require(FullDisk(below: place))
            defer { disk.unmount() }
            mkdir(disk.path + "/state", 0o700)
            try #require(disk.makeReadOnly())
            for directory in ["/state", "/none/state"] {
                let findings = try await examine(place) { $0.stateDirectory = disk.path + directory }

                let found = findings.filter { $0.subject == "state" }
                #expect(found.count == 1 && found.first?.level == .fail)
                #expect(found.first?.found.contains("read-only file system") == true)
                #expect(found.first?.advice?.contains("remount,rw") == true)
                #expect(found.first?.advice?.contains("chown") == false)
            }
        }
    }

    @Test func `a list of key files that cannot be read fails, as a start would`() async throws {
        try await withTemporaryDirectory { place in
            try state(place, mode: 0o755)
            #expect(chmod(try place.write("state/key-files.json", "[]"), 0) == 0)
            let checkup = StateCheckup(state: StateDirectory(examining: place.path + "/state"))

            let found = withoutRights { checkup.look() }
            #expect(
                found.contains { $0.level == .fail && $0.found.contains("key-files.json cannot be read") })
        }
    }

    @Test func `a key is never shown, and a file of it that others read is told`() async throws {
        try await withTemporaryDirectory { place in
            let key = "0123456789abcdefghijklmnop"
            let file = try place.write("key", key + "\n")
            chmod(file, 0o644)
            let open = try await examine(place) { $0.apiKeyFile = file }
            #expect(open.first?.found.contains("others may read") == true)
            chmod(file, 0o600)
            let closed = try await examine(place) { $0.apiKeyFile = file }
            #expect(closed.contains { $0.subject == "key" && $0.level == .ok })
            let named = try await examine(place, environment: ["RALPH_API_KEY": key])
            #expect(!(open + closed + named).contains { $0.text.contains(key) })
        }
    }

    @Test func `a program that is no ralph is told, with what it printed escaped`() async throws {
        try await withTemporaryDirectory { place in
            let program = try place.write("ralph", "#!/bin/sh\nprintf '\\033[31mralph 2.4.0'\n")
            chmod(program, 0o755)
            let old = try await examine(place) { $0.ralph = program }
            try place.write("ralph", "#!/bin/sh\nprintf '\\033]0;x\\007oh' >&2; exit 3\n")
            let failing = try await examine(place) { $0.ralph = program }

            #expect(old.contains { $0.subject == "ralph" && $0.level == .warn })
            #expect(failing.contains { $0.subject == "ralph" && $0.level == .fail })
            #expect(!(old + failing).contains { $0.text.contains("\u{1B}") })
        }
    }

    @Test func `a program that is named and is not on the path is told, and one that is there is asked`()
        async throws
    {
        try await withTemporaryDirectory { place in
            let environment = ["PATH": place.path + "/bin:/bin"]
            let missing = try await examine(place, environment: environment) { $0.ralph = "ours" }
            let found = missing.first { $0.subject == "ralph" }
            #expect(found?.level == .fail && found?.found == "ours was not found on PATH")

            let program = try place.write("bin/ours", "#!/bin/sh\necho ralph 2.10.0\n")
            chmod(program, 0o755)
            let there = try await examine(place, environment: environment) { $0.ralph = "ours" }
            #expect(there.contains { $0.found == "\(program), version 2.10" })
            #expect(
                there.contains { $0.found == "\(program) is not called ralph, and no program on PATH is" })

            // Which it starts, most likely.
            chmod(try place.write("bin/ralph", "#!/bin/sh\necho ralph 2.10.0\n"), 0o755)
            let wrapped = try await examine(place, environment: environment) { $0.ralph = "ours" }
            #expect(!wrapped.contains { $0.found.contains("is not called ralph") })
        }
    }

    @Test func `devices that cannot be read, and a store that is none, fail`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            try place.write("state/devices.json", "{")
            try place.write("state/events.sqlite", String(repeating: "no database ", count: 500))
            let failed = Set(try await examine(place).filter { $0.level == .fail }.map(\.subject))

            #expect(failed.isSuperset(of: ["devices", "store"]))
        }
    }

    @Test func `a running server is asked, and one that gives no answer is told`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            let record = #"{"pid":\#(getpid()),"host":"127.0.0.1","port":1,"key":"local-key","version":"x"}"#
            chmod(try place.write("state/server.json", record), 0o600)
            let silent = try await examine(place)
            let odd = try await examine(place, ask: { .init(status: 200, body: Array($0.key.utf8)) })
            let refused = try await examine(place, ask: { _ in .init(status: 401, body: []) })

            for (findings, level) in [(silent, Finding.Level.fail), (odd, .fail), (refused, .warn)] {
                #expect(findings.first { $0.subject == "server" }?.level == level)
                #expect(!findings.contains { $0.text.contains("local-key") })
            }
        }
    }

    @Test func `the record of a process that is gone, or that others can read, is of no server`() async throws
    {
        try await withTemporaryDirectory { place in
            let file = try place.write(
                "server.json", #"{"pid":4194305,"host":"127.0.0.1","port":1,"key":"k","version":"x"}"#)
            chmod(file, 0o600)
            #expect(try RunningContents.read(stateDirectory: place.path) == nil)
            try place.write(
                "server.json", #"{"pid":\#(getpid()),"host":"::","port":1,"key":"k","version":"x"}"#)
            chmod(file, 0o600)
            #expect(try RunningContents.read(stateDirectory: place.path)?.reachableHost == "::1")
            chmod(file, 0o644)
            #expect(throws: ConfigurationProblem.self) {
                try RunningContents.read(stateDirectory: place.path)
            }
        }
    }

    @Test func `the record has the address that was bound, whatever name was asked for`() async throws {
        try await withServer({
            $0.host = "127.1"
            $0.apiKey = TestSecrets.key
        }) { server in
            let state = server.root.path + "/.state"
            var record: RunningContents?
            try await eventually(within: .seconds(10), "the record") {
                record = try RunningContents.read(stateDirectory: state)
                return record != nil
            }
            #expect(record?.host == "127.0.0.1")
        }
    }

    @Test func `a record that others can read is told`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            chmod(try place.write("state/server.json", "{}"), 0o644)
            let found = try await examine(place).first { $0.subject == "server" }

            #expect(found?.level == .fail)
            #expect(found?.text.contains("server.json is not a file of yours alone") == true)
        }
    }

    @Test func `before the first start of a server with a certificate of its own, that is what it says`()
        async throws
    {
        try await withTemporaryDirectory { place in
            let findings = try await examine(place) { $0.isSelfSigned = true }

            #expect(
                findings.first { $0.subject == "tls" }?.found == "a certificate is made at the first start")
        }
    }

    @Test func `a certificate and its key are looked at behind links, as the server reads them`() async throws
    {
        try await withTemporaryDirectory { place in
            let written = try WrittenCertificate(in: place, "archive")
            let given = CertificateFiles(certificate: place.path + "/live.pem", key: place.path + "/key.pem")
            try FileManager.default.createSymbolicLink(
                atPath: given.certificate, withDestinationPath: written.certificate)
            try FileManager.default.createSymbolicLink(atPath: given.key, withDestinationPath: written.key)
            let found = try await examine(place, certificate: given).filter { $0.subject == "tls" }

            #expect(found.map(\.level) == [.ok], "\(found.map(\.text))")
        }
    }

    @Test func `the server's own certificate is told, and no other in the state directory`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            let made = try SelfSignedCertificate(at: Date())
            try place.write("state/tls-cert.pem", made.certificate)
            try place.write("state/old.pem", made.certificate)
            chmod(try place.write("state/tls-key.pem", made.key), 0o600)
            let found = try await examine(place) { $0.isSelfSigned = true }.filter { $0.subject == "tls" }

            #expect(found.map(\.level) == [.ok])
            #expect(found.first?.found.hasPrefix(place.path + "/state/tls-cert.pem") == true)
            let plain = try await examine(place).filter { $0.subject == "tls" }
            #expect(
                plain.map(\.found) == [
                    "plain HTTP with these settings: \(place.path)/state/tls-cert.pem is not used"
                ])
        }
    }

    @Test func `a certificate of its own that the next start replaces is told`() async throws {
        try await withTemporaryDirectory { place in
            try state(place)
            func found() async throws -> Finding? {
                try await examine(place) { $0.isSelfSigned = true }.first { $0.subject == "tls" }
            }
            let old = try SelfSignedCertificate(at: Date() - SelfSignedCertificate.validity + 20 * 86_400)
            try place.write("state/tls-cert.pem", old.certificate)
            let alone = try await found()
            chmod(try place.write("state/tls-key.pem", old.key), 0o600)
            let late = try await found()
            chmod(place.path + "/state/tls-key.pem", 0o644)
            let readable = try await found()

            #expect([alone, late, readable].map { $0?.level } == [.warn, .warn, .warn])
            #expect(alone?.found.hasSuffix("cannot be used: the next start makes others") == true)
            #expect(late?.found.hasSuffix("ends soon: the next start makes another") == true)
            #expect(readable?.found == alone?.found)
        }
    }

    @Test func `a key file that is not there is told once`() async throws {
        try await withTemporaryDirectory { place in
            let findings = try await examine(place) {
                $0.bindAll = true
                $0.apiKeyFile = "/nope"
            }

            #expect(findings.first?.found.hasPrefix("--api-key-file /nope") == true)
            #expect(!findings.contains { $0.subject == "key" })
        }
    }

    @Test func `a certificate that is none, and a key that others read, fail`() async throws {
        try await withTemporaryDirectory { place in
            let certificate = try place.write("c.pem", "none")
            let key = try place.write("k.pem", "none")
            chmod(key, 0o644)
            let found = try await examine(
                place, certificate: CertificateFiles(certificate: certificate, key: key)
            ).filter { $0.subject == "tls" }

            #expect(found.map(\.level) == [.fail, .fail])
        }
    }
}
