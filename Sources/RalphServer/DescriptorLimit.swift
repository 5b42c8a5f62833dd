import Foundation

/// The limit on open descriptors (`getrlimit(2)`), which bounds connections.
package enum DescriptorLimit {
    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    /// The soft limit; `nil` where the system does not tell.
    static var current: Int? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
    }

    /// Raises the soft limit to the hard one.
    ///
    /// - Returns: what held before, and what holds now.
    package static func raise() -> (before: Int, now: Int) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return (1024, 1024) }
        let soft = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        return (Int(clamping: soft), Int(limit.rlim_cur))
    }
}

extension ServerConfiguration {
    /// Descriptors that are not for connections: event loops, the store, followed files.
    package static let reservedDescriptors = 768
    /// Those of them that are not for followed files.
    package static let otherDescriptors = 256

    /// Fewer leave no room for clients beside what the server opens for itself.
    package static let minimumDescriptors = 128

    /// Fewer connections are too few for one client.
    private static let leastPerPeer = 4

    /// Keeps connections and followed files below the descriptor limit: an acceptor without descriptors would spin.
    ///
    /// - Throws: ``ConfigurationProblem`` for fewer than ``minimumDescriptors``.
    package mutating func limit(toDescriptors descriptors: Int) throws(ConfigurationProblem) {
        guard descriptors >= Self.minimumDescriptors else {
            throw ConfigurationProblem(
                "The limit on open descriptors is \(descriptors), and \(Self.minimumDescriptors) is the least that leaves"
                    + " room for clients; raise it with ulimit -n, or LimitNOFILE in the unit.")
        }
        let room = descriptors - Self.reservedDescriptors
        openFiles = max(16, min(openFiles, (descriptors - Self.otherDescriptors) / 2))
        streams.maximumLent = max(0, min(room / 8, streams.maximumLent))
        http.maximumConnections = max(16, min(room - streams.maximumLent, 100_000))
        // Else one stranger could take all of them.
        http.maximumConnectionsPerPeer = min(
            http.maximumConnectionsPerPeer, max(Self.leastPerPeer, http.maximumConnections / 4))
        streams.maximumStreams = min(streams.maximumStreams, http.maximumConnections)
    }
}
