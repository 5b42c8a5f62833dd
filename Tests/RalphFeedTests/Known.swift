import Foundation
import GRDB
import RalphFeed
import RalphTestSupport

/// Everything that a feed with sessions 1 and 2 tells about itself.
struct Known: Equatable {
    var epoch: String
    var globalHead: Int64
    var heads: [FeedHead?]
    var saved: [SavedSession?]
    var bytes: [UInt8]

    init(_ feed: EventFeed) throws {
        epoch = feed.epoch
        globalHead = feed.globalHead
        heads = [feed.head(of: session(1)), feed.head(of: session(2))]
        saved = [try feed.saved(session(1)), try feed.saved(session(2))]
        bytes = try allGlobal(feed).bytes
    }
}

extension TemporaryDirectory {
    /// Copies a file below the directory, making missing directories.
    func copy(_ name: String, to copy: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        try write(copy, bytes: Array(bytes))
    }

    /// Runs SQL on the store of ``settings(_:)`` over a connection of its own.
    func execute(_ sql: String) throws {
        try DatabaseQueue(path: path + "/state/feed.sqlite").write { try $0.execute(sql: sql) }
    }

    /// The first value that SQL gives on the store of ``settings(_:)``.
    func integer(_ sql: String) throws -> Int? {
        try DatabaseQueue(path: path + "/state/feed.sqlite").read { try Int.fetchOne($0, sql: sql) }
    }
}

extension FeedConfiguration {
    /// The same settings for another file.
    static func copy(of configuration: FeedConfiguration, at path: String) -> FeedConfiguration {
        var copy = configuration
        copy.path = path
        return copy
    }
}
