import Foundation
import RalphWire

/// How many connections the limit on open descriptors allows (getrlimit(2)).
struct DescriptorCheckup: FileCheckup {
    /// Connections below which a few phones with their connection pools can use them up.
    static let fewConnections = 256

    let subject = "descriptors"

    func look() -> [Finding] {
        var limit = rlimit()
        #if canImport(Glibc)
        let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        guard result == 0 else {
            return [.warn(subject, "the system does not tell the limit", "Look at ulimit -n.")]
        }
        return [Self.judge(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))]
    }

    /// What a server makes of these limits.
    static func judge(soft: Int, hard: Int) -> Finding {
        var configuration = ServerConfiguration()
        configuration.limit(toDescriptors: min(hard, 1 << 20))
        let connections = configuration.http.maximumConnections
        let facts = "soft limit \(soft), hard limit \(hard): \(connections) connections at once"
        guard connections >= fewConnections else {
            return .warn(
                "descriptors", facts, "Raise it: LimitNOFILE=65536 in the unit, or ulimit -Hn 65536.")
        }
        return .ok("descriptors", facts)
    }
}
