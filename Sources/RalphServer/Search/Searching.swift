import NIOCore
import RalphFeed
import RalphWire

/// What the search route calls.
struct Searching: Sendable {
    /// `nil`: the index was switched off.
    let service: SearchService?
    let feed: EventFeed
    let catalogue: SessionCatalogue

    /// The page that the query of a request asks for, as JSON.
    func page(_ query: String?) async throws -> ByteBuffer {
        let began = ContinuousClock.now
        guard let service else { throw Problem.searchDisabled }
        let request = try SearchRequest(
            query, catalogue: catalogue, epoch: feed.epoch, now: WallClock.milliseconds(),
            deadline: service.deadline)
        var page = try await service.search(request)
        page.leaveOut(catalogue.isPurged)
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        return page.json(
            epoch: feed.epoch, milliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
