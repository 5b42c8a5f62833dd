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
        let limits = "soft limit \(soft), hard limit \(hard)"
        var configuration = ServerConfiguration()
        do throws(ConfigurationProblem) {
            try configuration.limit(toDescriptors: min(hard, 1 << 20))
        } catch {
            let least = ServerConfiguration.minimumDescriptors
            return .fail(
                "descriptors", "\(limits): the server does not start with fewer than \(least)", raise)
        }
        let connections = configuration.http.maximumConnections
        let facts = "\(limits): \(connections) connections at once"
        return connections >= fewConnections ? .ok("descriptors", facts) : .warn("descriptors", facts, raise)
    }

    private static let raise = "Raise it: LimitNOFILE=65536 in the unit, or ulimit -Hn 65536."
}
