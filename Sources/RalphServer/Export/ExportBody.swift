import NIOCore
import RalphFeed

/// The lines of an export, each with its place in the hash chain:
///
///     {"format":…}                                             the header
///     {"seq":7,"sha256":"…","event":{…}}                       an event, the very bytes of the streams
///     {"sha256":"…","gap":{"from":8,"to":9,"reason":"…"}}      numbers that nobody has any more
///     {"sha256":"…","next":null,"trailer":{…}}                 the end, and the query of the next page
///
/// The header's hash is not written: it is what the next one begins with. `next` is made of the trailer's.
struct ExportBody: Sendable {
    private(set) var buffer = ByteBuffer()
    private(set) var chain: HashChain
    private(set) var events = 0
    private(set) var gaps = 0
    /// The last number that was written, or is in a gap.
    private(set) var through: Int64
    private let maximumBytes: Int
    private let maximumEvents: Int

    /// - Parameters:
    ///   - seq: the number before the first one.
    ///   - chain: what the pages before this one ended with.
    init(after seq: Int64, chain: HashChain, maximumBytes: Int, maximumEvents: Int) {
        through = seq
        self.chain = chain
        self.maximumBytes = maximumBytes
        self.maximumEvents = maximumEvents
    }

    /// Whether nothing more may be added; one event or gap always may.
    var isFull: Bool {
        events >= maximumEvents || (events + gaps > 0 && buffer.readableBytes >= maximumBytes)
    }

    mutating func begin(_ header: [UInt8]) {
        chain.add(header)
        buffer.writeBytes(header)
        buffer.writeStaticString("\n")
    }

    /// Adds as much of a page as there is room for.
    mutating func add(_ page: HistoryPage) {
        for piece in page.pieces {
            switch piece {
            case .gap(let gap):
                guard !isFull else { return }
                add(#""gap":"#, Array(gap.json.utf8))
                gaps += 1
                through = gap.to
            case .events(let slice):
                for index in slice.range {
                    guard !isFull else { return }
                    through = slice.block.firstSeq + Int64(index)
                    events += 1
                    add(#""event":"#, slice.block.json(at: index), seq: through)
                }
            }
        }
    }

    /// - Parameter next: gives the query of the next page; `nil`: there is none.
    mutating func end(_ trailer: [UInt8], next: ((HashChain) -> String)?) {
        var ended = chain
        ended.add(trailer)
        let query = next.map { "\"\($0(ended))\"" } ?? "null"
        add(#""next":\#(query),"trailer":"#, trailer)
    }

    private mutating func add(_ name: String, _ record: some Collection<UInt8>, seq: Int64? = nil) {
        chain.add(record)
        buffer.writeStaticString("{")
        if let seq { buffer.writeString(#""seq":\#(seq),"#) }
        buffer.writeString(#""sha256":"\#(chain.text)","#)
        buffer.writeString(name)
        buffer.writeBytes(record)
        buffer.writeStaticString("}\n")
    }
}
