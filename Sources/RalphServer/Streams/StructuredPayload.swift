/// Turns an event's payload from text into the structure that stands in `data`, for clients that ask with
/// `payload=object` (http-contract 4.3). Events whose payload is only text stay as they are.
///
/// The encoder writes `"topic":"…","payload":"…","data":…`, which is all that is relied on here; where it is not
/// so, nothing is changed.
enum StructuredPayload {
    private static let payload = Array(#","payload":"#.utf8)
    private static let data = Array(#","data":"#.utf8)

    /// The event in `json`, whose topic ends before the index `topicEnd`.
    static func rewrite(_ json: ArraySlice<UInt8>, topicEnd: Int) -> [UInt8] {
        let start = topicEnd + 1
        guard json[start...].starts(with: payload),
            let textEnd = end(ofStringAt: start + payload.count, in: json),
            json[textEnd...].starts(with: data)
        else { return Array(json) }
        var result = Array(json[..<start])
        result += payload
        result += json[(textEnd + data.count)...]
        return result
    }

    /// The index behind the JSON string that begins at `start`; the text is valid JSON.
    private static func end(ofStringAt start: Int, in json: ArraySlice<UInt8>) -> Int? {
        guard start < json.endIndex, json[start] == UInt8(ascii: "\"") else { return nil }
        var index = start + 1
        while index < json.endIndex {
            switch json[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index + 1
            default: index += 1
            }
        }
        return nil
    }
}
