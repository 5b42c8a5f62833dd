import Foundation
import RalphWire

/// What an answer to a question needs to know of it.
extension PendingQuestion {
    /// Offers past this number are not kept.
    private static let maximumOptions = 32
    private static let maximumOptionCharacters = 256
    private static let maximumTextBytes = 8192

    /// What is kept of a question's text, wherever it is read: so a question that stands in two places is known
    /// for the same one, however long it is.
    package static func kept(of text: String) -> String {
        String(decoding: Array(text.utf8).prefixOfCharacters(maximumTextBytes), as: UTF8.self)
    }

    /// The strings of a JSON array; `nil` if there is none.
    package static func options(json: [UInt8]) -> [String]? {
        // Offers of any other form are none that could be shown.
        (try? JSONSerialization.jsonObject(with: Data(json))).flatMap(options(of:))
    }

    private static func options(of value: Any) -> [String]? {
        let options = (value as? [Any])?.compactMap { $0 as? String }.prefix(maximumOptions)
            .map { String($0.prefix(maximumOptionCharacters)) }
        return options?.isEmpty == false ? options : nil
    }

    /// The question in a payload that is the text of an object, as an agent emits it that forgets `--json`; `nil`: the
    /// text is the question itself.
    static func asked(in text: String) -> (text: String, options: [String]?)? {
        guard text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"),
            // Any text may begin so.
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let question = object["question"] as? String
        else { return nil }
        return (kept(of: question), object["options"].flatMap(options(of:)))
    }
}

extension PendingQuestion.Place {
    /// The `id` of the row that answers the question of this place, and no other one: the same at each try, so
    /// that a row that was written before a crash is known again. `cmd_` and 16 hexadecimal digits.
    package var answerMarker: String {
        // It has to tell at most 32 questions of one session apart.
        "cmd_" + Hexadecimal.text("answer \(offset) \(generation) \(file)".utf8.fnv1a)
    }
}
