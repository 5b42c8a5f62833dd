import NIOCore
import RalphFeed
import RalphWire

/// A page of hits on the wire.
extension SearchPage {
    /// The answer to a search that took `milliseconds`.
    func json(epoch: String, milliseconds: Int64) -> ByteBuffer {
        var bytes = Array(#"{"hits":["#.utf8)
        for (index, hit) in hits.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            hit.append(to: &bytes)
        }
        bytes += Array(#"],"has_more":\#(next != nil),"next":"#.utf8)
        if let next {
            JSONText.appendString(SearchRequest.token(next, epoch: epoch), to: &bytes)
        } else {
            bytes += Array("null".utf8)
        }
        bytes += Array(
            #","took_ms":\#(milliseconds),"indexed_through":\#(indexedThrough),"behind":\#(behind)}"#.utf8)
        return ByteBuffer(bytes: bytes)
    }
}

extension SearchPage.Hit {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes += Array(
            #"{"session_id":"\#(session)","seq":\#(seq),"id":"\#(EventID(session: session, seq: seq))","#.utf8
        )
        bytes += Array(#""global_id":\#(globalID),"ts":"\#(Timestamp.text(timestamp))","topic":"#.utf8)
        JSONText.appendString(topic, to: &bytes)
        bytes += Array(#","hat":"#.utf8)
        if hat.isEmpty { bytes += Array("null".utf8) } else { JSONText.appendString(hat, to: &bytes) }
        bytes += Array(#","type":"#.utf8)
        JSONText.appendString(type, to: &bytes)
        bytes += Array(#","snippet":"#.utf8)
        JSONText.appendString(snippet.text, to: &bytes)
        let places = snippet.highlights.map { "[\($0.lowerBound),\($0.upperBound)]" }
        bytes += Array(#","highlights":[\#(places.joined(separator: ","))],"event":"#.utf8)
        bytes += event
        bytes.append(UInt8(ascii: "}"))
    }
}
