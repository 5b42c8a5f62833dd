import Foundation
import RalphSessions
import RalphWire

/// One row of an events file, as far as control needs it: written by us, or read back.
struct EventRow: Equatable {
    /// Its marker if it is one of ours.
    let id: String?
    /// Whether a person said it, by its `source`.
    let isOfUser: Bool
    let topic: String
    /// As Ralph compares it: a string as it is, any other JSON as its text, `nil` without a payload
    /// (contract 2.4).
    let payload: String?
    /// The payload's JSON text if a person said the row.
    let payloadJSON: String?
    /// Whether Ralph says by it what an iteration was.
    let isSummary: Bool
    /// Whether it begins a run: iteration 0, hat `loop`, whatever the topic (contract 2.6), but that of an end before
    /// the first iteration.
    let isStart: Bool
    /// What `ts` says, milliseconds since 1970; `nil` if that is no time.
    let time: Int64?

    /// Whether it ends a run: see ``TerminateRow/ends(isOfLoop:isOfUser:payload:)``.
    let isEnd: Bool

    /// The row that `text` is; `nil` if it is not one object with a topic, which as a line Ralph skips, too.
    init?(_ text: [UInt8]) {
        guard let object = JSONObject(text), let topic = Self.string("topic", of: object) else {
            return nil
        }
        self.topic = topic
        id = Self.string("id", of: object)
        payload = Self.payload(of: object, in: text)
        time = Self.string("ts", of: object).flatMap { Timestamp.parse($0.utf8) }
        let isOfLoop = object.value("hat") == .string("loop")
        isStart = object.value("iteration") == .integer(0) && isOfLoop && topic != "loop.terminate"
        isOfUser = object.value("source") == .string("user")
        payloadJSON = isOfUser ? object.text(of: "payload") : nil
        isSummary = topic == "iteration.summary" && isOfLoop
        isEnd =
            topic == "loop.terminate"
            && TerminateRow.ends(isOfLoop: isOfLoop, isOfUser: isOfUser, payload: payload)
    }

    /// The rows of a line from the last one on: two writers can glue theirs together, and a torn one can
    /// stand before a whole one (contract 2.4).
    static func newestFirst(in line: [UInt8]) -> [EventRow] {
        LineObjects.texts(in: line).reversed().compactMap { EventRow($0) }
    }

    private static func string(_ name: String, of object: JSONObject) -> String? {
        if case .string(let text) = object.value(name) { text } else { nil }
    }

    private static func payload(of object: JSONObject, in text: [UInt8]) -> String? {
        switch object.value("payload") {
        case .string(let payload): return payload
        case nil, .null: return nil
        case .integer, .number, .bool, .container:
            // What Foundation does not read, such as half a surrogate pair, equals nothing that we write.
            let members = (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any]
            return members?["payload"].flatMap { Self.text(of: $0) }
        }
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
        var row = JSONObjectText()
        row.add("id", marker)
        add(payload: payload, source: "user", topic: topic, at: now, to: &row)
        return row.finished
    }

    /// The `loop.terminate` row that a run did not write, or not so that Ralph finds it: its markdown, and
    /// `--continue` replays what comes after it (contract 2.2, 4.5).
    ///
    /// - Parameter isAgain: whether a row that is glued to another one says so already.
    static func terminate(reason: String, isAgain: Bool = false, at now: Int64) -> [UInt8] {
        var row = JSONObjectText()
        let status = isAgain ? "had said so behind another row" : "had ended without saying so"
        let text = "## Reason\n\(reason)\n\n## Status\nThe run \(status)."
        add(payload: string(text), source: "server", topic: "loop.terminate", at: now, to: &row)
        return row.finished
    }

    /// `text` as a JSON string.
    static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        JSONText.appendString(text, to: &bytes)
        return bytes
    }

    private static func add(
        payload: [UInt8], source: String, topic: String, at now: Int64, to row: inout JSONObjectText
    ) {
        row.add("payload", json: payload)
        row.add("source", source)
        row.add("topic", topic)
        row.add("ts", Timestamp.text(now))
    }
}
