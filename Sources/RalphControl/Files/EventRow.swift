import Foundation
import RalphWire

/// One row of an events file, as far as control needs it: written by us, or read back.
struct EventRow: Equatable {
    let topic: String
    /// As Ralph compares it: a string as it is, any other JSON as its text, `nil` without a payload
    /// (contract 2.4).
    let payload: String?
    /// Whether it begins a run: iteration 0, hat `loop`, whatever the topic (contract 2.6), but that of an end before
    /// the first iteration.
    let isStart: Bool
    /// What `ts` says, milliseconds since 1970; `nil` if that is no time.
    let time: Int64?

    /// The row that `line` is; `nil` if it is no object with a topic.
    init?(_ line: [UInt8]) {
        // Malformed lines are met in every file, and mean nothing here.
        let object = try? JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed)
        guard let members = object as? [String: Any], let topic = members["topic"] as? String else {
            return nil
        }
        self.topic = topic
        payload = members["payload"].flatMap(Self.text(of:))
        time = (members["ts"] as? String).flatMap { Timestamp.parse($0.utf8) }
        isStart =
            (members["iteration"] as? NSNumber) == 0 && members["hat"] as? String == "loop"
            && topic != "loop.terminate"
    }

    /// `value` as ``payload`` has it.
    static func text(of value: Any) -> String? {
        if value is NSNull { return nil }
        if let text = value as? String { return text }
        let options: JSONSerialization.WritingOptions = [
            .sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes,
        ]
        // What came from JSON can be written as JSON.
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// A row that is written for a person. Ralph ignores the members that it does not know (contract 4.9).
    ///
    /// - Parameters:
    ///   - marker: `cmd_` and 16 hexadecimal digits; by it the row is recognised when it comes back.
    ///   - payload: a JSON value in one line.
    static func user(marker: String, topic: String, payload: [UInt8], at now: Int64) -> [UInt8] {
        var bytes = Array("{\"id\":".utf8)
        JSONText.appendString(marker, to: &bytes)
        append(payload: payload, source: "user", topic: topic, at: now, to: &bytes)
        return bytes
    }

    /// The `loop.terminate` row that a killed run did not write: its markdown, and `--continue` replays what
    /// comes after it (contract 2.2, 4.5).
    static func terminate(reason: String, at now: Int64) -> [UInt8] {
        var bytes = Array("{".utf8)
        let text = "## Reason\n\(reason)\n\n## Status\nThe run had ended without saying so."
        append(payload: string(text), source: "server", topic: "loop.terminate", at: now, to: &bytes)
        return bytes
    }

    /// `text` as a JSON string.
    static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        JSONText.appendString(text, to: &bytes)
        return bytes
    }

    private static func append(
        payload: [UInt8], source: String, topic: String, at now: Int64, to bytes: inout [UInt8]
    ) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes += Array("\"payload\":".utf8)
        bytes += payload
        bytes += Array(",\"source\":\"\(source)\",\"topic\":".utf8)
        JSONText.appendString(topic, to: &bytes)
        bytes += Array(",\"ts\":\"\(Timestamp.text(now))\"}".utf8)
    }
}
