/// What goes into the wire JSON of one event (http-contract 4.3), not yet encoded.
///
/// Slices count from the base of the line that is being read. Numbers are -1 where there is none.
struct EventFields {
    /// A short text of any source.
    enum Word {
        case none
        case literal(StaticString)
        case slice(JSONSlice)
        case text(String)
    }

    /// Where `payload`, and with it `data`, comes from.
    enum Payload {
        case none
        /// A value of the line: a string as it is, anything else as its compact text.
        case slice(JSONSlice)
        /// Plain text, not escaped, well-formed UTF-8.
        case text([UInt8])
        /// A compact JSON object of our own.
        case json([UInt8])
    }

    var type = Word.none
    var topic = Word.none
    /// Milliseconds since 1970.
    var timestamp: Int64 = 0
    /// How the line spells its time; kept where the wire spells it otherwise.
    var timestampSource = JSONSlice.missing
    var payload = Payload.none
    var hat = Word.none
    var iteration = -1
    var triggered = Word.none
    var blockedCount = -1
    var waveID = JSONSlice.missing
    var waveIndex = -1
    var waveTotal = -1
    var tool = Word.none
    var status = Word.none
    /// An object.
    var input = JSONSlice.missing
    /// A string, or any value that is said as its compact text.
    var output = JSONSlice.missing
    var duration = -1
    var isRepaired = false
}
