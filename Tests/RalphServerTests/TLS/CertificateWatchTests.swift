import Foundation
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

/// A certificate that nears its end while a server shows it.
@Suite(.timeLimit(.minutes(1)))
struct CertificateWatchTests {
    private static let day: TimeInterval = 86_400

    /// A setup whose certificate has been valid since `age` days ago.
    private func setup(_ directory: TemporaryDirectory, age days: Double) throws -> TLSSetup {
        let pair = try WrittenCertificate(
            in: directory, "a", at: Date(timeIntervalSinceNow: -days * Self.day))
        let state = try StateDirectory(path: directory.path + "/state")
        return try TLSSetup(
            .files(certificate: pair.certificate, key: pair.key), state: state,
            keyFiles: try KeyFiles([], record: state.keyFiles))
    }

    @Test func `its end is told two weeks before, and when it has come`() async throws {
        try await withTemporaryDirectory { directory in
            let setup = try setup(directory, age: 0)
            let end = setup.end

            #expect(setup.complaint(at: end - 15 * Self.day) == nil)
            #expect(setup.complaint(at: end - 13 * Self.day)?.contains("ends soon") == true)
            #expect(setup.complaint(at: end + 1)?.contains("has expired") == true)
        }
    }

    @Test func `what is said of our own sends nobody to an authority`() async throws {
        try await withTemporaryDirectory { directory in
            let state = try StateDirectory(path: directory.path + "/state")
            let setup = try TLSSetup(
                .selfSigned, state: state, keyFiles: try KeyFiles([], record: state.keyFiles))
            let complaint = try #require(setup.complaint(at: setup.end - 13 * Self.day))
            #expect(complaint.contains("paired again") && !complaint.contains("renew"))
        }
    }

    @Test func `a running server looks again`() async throws {
        try await withTemporaryDirectory { directory in
            let setup = try setup(directory, age: 815)
            let lines = Mutex<[String]>([])
            let watch = CertificateWatch(
                setup: setup, logger: TestLogger.make { line in lines.withLock { $0.append(line) } },
                interval: .milliseconds(10))

            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await watch.run() }
                try await eventually(within: .seconds(10), "two warnings") {
                    lines.withLock { $0.count { $0.contains(" warning ") && $0.contains("ends soon") } } >= 2
                }
                group.cancelAll()
            }
        }
    }
}
