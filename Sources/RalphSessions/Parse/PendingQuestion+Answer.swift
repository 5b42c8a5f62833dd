import Foundation
import RalphWire

/// What an answer to a question needs to know of it.
extension PendingQuestion {
    /// Offers past this number are not kept.
    private static let maximumOptions = 32
    private static let maximumOptionCharacters = 256
    /// Of these characters: each has as many as somebody likes.
    private static let maximumOptionBytes = 1024
    private static let maximumTextBytes = 8192

    /// What is kept of a question's text, wherever it is read: so a question that stands in two places is known
    /// for the same one, however long it is.
    package static func kept(of text: String) -> String {
        String(decoding: Array(text.utf8).prefixOfCharacters(maximumTextBytes), as: UTF8.self)
    }

    /// What the value of a payload's `options` offers; empty: nothing. `nil`: not all of it can be shown.
    package static func options(json: [UInt8]) -> [String]? {
        // Bytes that are no JSON are no offers that could be shown.
        (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)).flatMap(
            options(of:))
    }

    /// ``options(json:)`` of a value that was read; `nil` there stands for none.
    package static func options(of value: Any?) -> [String]? {
        guard let value, !(value is NSNull) else { return [] }
        guard let offers = value as? [Any] else { return nil }
        var options: [String] = []
        for offer in offers.prefix(maximumOptions) {
            guard let text = shown(offer) else { return nil }
            let bytes = Array(text.prefix(maximumOptionCharacters).utf8)
            options.append(String(decoding: bytes.prefixOfCharacters(maximumOptionBytes), as: UTF8.self))
        }
        return options
    }

    /// A text or a number, or that of an object: its `label`, else its `text`, else its `value`.
    private static func shown(_ offer: Any) -> String? {
        if let text = offer as? String { return text }
        if let object = offer as? [String: Any] {
            return ["label", "text", "value"].lazy.compactMap { object[$0] }
                .first { !($0 is [String: Any] || $0 is NSNull) }.flatMap(shown)
        }
        guard offer is NSNumber else { return nil }
        // What was read as a number or a Boolean can be written as one.
        return (try? JSONSerialization.data(withJSONObject: offer, options: .fragmentsAllowed))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The question in a payload that is the text of an object, as an agent emits it that forgets `--json`; `nil`: the
    /// text is the question itself.
    static func asked(in text: String) -> (text: String, options: [String]?)? {
        guard text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"),
            // Any text may begin so.
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let question = object["question"] as? String
        else { return nil }
        guard let options = options(of: object["options"]) else { return (kept(of: text), nil) }
        return (kept(of: question), options.isEmpty ? nil : options)
    }
}

extension PendingQuestion.Place {
    /// The `id` of the row that answers the question of this place, and no other one: the same at each try, so
    /// that a row that was written before a crash is known again. `cmd_` and 16 hexadecimal digits.
    package var answerMarker: String {
        // It has to tell at most 64 questions of one session apart.
        "cmd_" + Hexadecimal.text("answer \(offset) \(generation) \(file)".utf8.fnv1a)
    }
}
