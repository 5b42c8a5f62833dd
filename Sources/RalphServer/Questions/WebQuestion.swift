import Foundation
import RalphSessions
import RalphWire

/// `api/robot-question.json`: what the run waits for in the web robot's mode (contract 6.6).
struct WebQuestion: Sendable, Equatable {
    /// Larger files are not looked at.
    static let maximumBytes = 1 << 20

    let place: Question.WebPlace
    let text: String
    let options: [String]
    /// Below 2^32; 0: not said.
    let iteration: Int
    let hat: String?
    /// Milliseconds since 1970.
    let askedAt: Int64?
    /// 0: never; `nil`: not said.
    let timeoutSeconds: Int64?

    /// Reads the file at `path`; `nil` if there is none, or half of one.
    ///
    /// - Throws: the reason where nobody gives an answer about it.
    static func load(_ path: String) throws(SystemCode) -> WebQuestion? {
        let json = try BoundedFile.readKnown(path, maximumBytes: maximumBytes)
        return json.flatMap { WebQuestion(json: $0) }
    }

    /// `nil` unless `json` has what an answer must repeat: `id`, `loop_id` and `response_token`.
    init?(json: [UInt8]) {
        // Ralph writes the file in place: half of it says as much as none.
        guard let members = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any],
            let number = (members["id"] as? NSNumber).flatMap({ Int64(exactly: $0) }),
            let loopID = members["loop_id"] as? String, let token = members["response_token"] as? String
        else { return nil }
        place = Question.WebPlace(number: number, loopID: loopID, token: token)
        let asked = members["payload_json"] as? [String: Any] ?? [:]
        var text = asked["question"] as? String ?? members["payload"] as? String ?? ""
        // All of what was asked, for where what it offers cannot be shown.
        var whole = members["payload"] as? String ?? text
        var options = asked["options"]
        if let inner = Self.object(in: text), let question = inner["question"] as? String {
            whole = text
            text = question
            options = inner["options"] ?? options
        } else if let inner = asked["question"] as? [String: Any] {
            text = inner["question"] as? String ?? text
            options = inner["options"] ?? options
        }
        let offered = PendingQuestion.options(of: options)
        self.text = PendingQuestion.kept(of: offered == nil ? whole : text)
        self.options = offered ?? []
        iteration = (members["iteration"] as? NSNumber).flatMap { UInt32(exactly: $0) }.map(Int.init) ?? 0
        hat = (members["hat"] as? String)?.lowercased()
        askedAt = (members["timestamp"] as? String).flatMap { Timestamp.parse(Array($0.utf8)) }
        timeoutSeconds = (members["timeout_seconds"] as? NSNumber).flatMap { Int64(exactly: $0) }
            .flatMap { $0 < 0 ? nil : $0 }
    }

    /// The object that a payload's text may itself be.
    private static func object(in text: String) -> [String: Any]? {
        guard text.utf8.first == UInt8(ascii: "{") else { return nil }
        // Any text may begin so; one that is no JSON is the question itself.
        return try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    }
}
