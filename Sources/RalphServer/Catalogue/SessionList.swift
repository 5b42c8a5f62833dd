import NIOCore
import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// The body of the session list, made again only when something in it can have changed.
final class SessionList: Sendable {
    private struct Made {
        var version: UInt64
        var second: Int64
        var body: ByteBuffer
    }

    private let feed: EventFeed
    private let catalogue: SessionCatalogue
    private let made = Mutex<Made?>(nil)

    init(feed: EventFeed, catalogue: SessionCatalogue) {
        self.feed = feed
        self.catalogue = catalogue
    }

    /// The body, if it is made already and still true (elapsed times move each second).
    func ready() -> ByteBuffer? {
        let version = catalogue.version
        let second = WallClock.milliseconds() / 1000
        return made.withLock { made in
            guard let made, made.version == version, made.second == second else { return nil }
            return made.body
        }
    }

    /// The body.
    func body() throws -> ByteBuffer {
        if let body = ready() { return body }
        let version = catalogue.version
        let now = WallClock.milliseconds()
        let report = catalogue.report
        let objects = catalogue.entries(now: now).map {
            SessionObject($0, epoch: feed.epoch, report: report, now: now)
        }
        let body = ByteBuffer(bytes: try JSONResponse.text(objects))
        made.withLock { $0 = Made(version: version, second: now / 1000, body: body) }
        return body
    }
}
