import NIOCore
import RalphFeed
import RalphWire

/// A page of hits on the wire.
extension SearchPage {
    /// The answer to a search that took `milliseconds`.
    func json(epoch: String, milliseconds: Int64) -> ByteBuffer {
        var page = JSONObjectText()
        let hits = hits.map(\.json).joined(separator: [UInt8(ascii: ",")])
        page.add("hits", json: [UInt8(ascii: "[")] + hits + [UInt8(ascii: "]")])
        page.add("has_more", next != nil)
        page.add("next", next.map { SearchRequest.token($0, epoch: epoch) })
        page.add("took_ms", milliseconds)
        page.add("indexed_through", indexedThrough)
        page.add("behind", behind)
        return ByteBuffer(bytes: page.finished)
    }
}

extension SearchPage.Hit {
    fileprivate var json: [UInt8] {
        var hit = JSONObjectText()
        hit.add("session_id", "\(session)")
        hit.add("seq", seq)
        hit.add("id", "\(EventID(session: session, seq: seq))")
        hit.add("global_id", globalID)
        hit.add("ts", Timestamp.text(timestamp))
        hit.add("topic", topic)
        hit.add("hat", hat.isEmpty ? nil : hat)
        hit.add("type", type)
        hit.add("snippet", snippet.text)
        let places = snippet.highlights.map { "[\($0.lowerBound),\($0.upperBound)]" }
        hit.add("highlights", json: Array("[\(places.joined(separator: ","))]".utf8))
        hit.add("event", json: event)
        return hit.finished
    }
}
