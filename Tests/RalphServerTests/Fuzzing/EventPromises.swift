import Foundation
import RalphWire

/// What holds for every event, whatever the line that it was made of (http-contract 4.2, 4.3).
enum EventPromises {
    static func check(_ batch: EventBatch) throws(FuzzFinding) {
        for item in batch.items { try check(item, of: batch) }
    }

    private static func check(_ item: EventBatch.Item, of batch: EventBatch) throws(FuzzFinding) {
        let members = Array(batch.bytes[item.members])
        guard let text = String(validating: members, as: UTF8.self) else {
            throw FuzzFinding(text: "an event is UTF-8: \(members)")
        }
        try promise(!text.unicodeScalars.contains(where: isLineBreak), "an event is one line: \(text)")
        let object = try object(Array("{\(text)}".utf8))
        try promise(object["topic"] as? String == unescaped(batch.text(item.topic)), "topic of \(text)")
        try promise(object["type"] as? String == unescaped(batch.text(item.type)), "type of \(text)")
        let time = (object["ts"] as? String).flatMap { Timestamp.parse(Array($0.utf8)) }
        try promise(time == item.timestamp, "time of \(text): \(item.timestamp)")
    }

    /// `json` as another reader sees it.
    static func object(_ json: [UInt8]) throws(FuzzFinding) -> [String: Any] {
        do {
            if let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] {
                return object
            }
        } catch {
            throw FuzzFinding(text: "\(error): \(String(decoding: json, as: UTF8.self))")
        }
        throw FuzzFinding(text: "no object: \(String(decoding: json, as: UTF8.self))")
    }

    /// Controls, and what clients take for the end of a line.
    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x80..<0xA0).contains(scalar.value) || scalar == "\u{2028}"
            || scalar == "\u{2029}"
    }

    private static func unescaped(_ text: String) throws(FuzzFinding) -> String? {
        try object(Array(#"{"a":"\#(text)"}"#.utf8))["a"] as? String
    }
}
