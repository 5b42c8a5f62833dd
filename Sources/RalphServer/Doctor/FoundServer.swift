import Foundation
import RalphSessions

/// A server that runs on a state directory, as its ``RunningRecord`` says.
package struct FoundServer: Sendable, Decodable, Equatable {
    /// Bytes of the record at most.
    static let maximumBytes = 16 << 10

    package let pid: Int32
    /// The address that it listens on.
    package let host: String
    package let port: Int
    /// SHA-256 of its certificate in hexadecimal; `nil`: plain HTTP.
    package let tls_fingerprint: String?
    /// Counts on connections from this machine.
    package let key: String

    /// `nil` if there is no record, it is not its owner's alone, or its process is gone.
    init?(record path: String) {
        guard let status = EntryStatus(at: path), status.isPrivate,
            let bytes = BoundedFile.read(path, maximumBytes: Self.maximumBytes),
            // A record that cannot be read is of no server that we could talk to.
            let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            RunningContents.runs(record.pid)
        else { return nil }
        self = record
    }

    /// The address to reach it at from this machine: one that stands for all is reached over the loopback.
    package var reachableHost: String {
        switch host {
        case "0.0.0.0", "localhost": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }
}
