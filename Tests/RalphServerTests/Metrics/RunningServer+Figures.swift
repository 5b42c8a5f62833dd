import RalphTestSupport
import Testing

/// What the server counts.
extension RunningServer {
    /// `streams` of the health report.
    func streams() async throws -> [String: Int] {
        let streams = try await get("/api/health").object()["streams"]
        return try #require(streams as? [String: Int])
    }

    /// The first value of a family of `/metrics`, whose name is given without `ralph_mobile_`.
    func figure(_ name: String) async throws -> Double {
        let text = try ExpositionReader(try await get("/metrics").text)
        return try #require(text.families["ralph_mobile_" + name]?.samples.first?.value)
    }
}
