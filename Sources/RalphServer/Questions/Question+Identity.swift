import Crypto
import RalphSessions
import RalphWire

/// Ids that stay what they are over restarts (http-contract 9).
extension Question {
    /// How the place of a row is remembered.
    static func key(of place: PendingQuestion.Place) -> String {
        "\(place.file)\u{0}\(place.generation)\u{0}\(place.offset)"
    }

    /// The id of a question: `q_` and 16 digits made of its session and of ``key(of:)``.
    static func id(session: SessionID, row key: String) -> String {
        "q_" + digits(of: "\(session)\u{0}row\u{0}\(key)")
    }

    /// The id of a question that only the web robot's file tells of.
    static func id(session: SessionID, web place: WebPlace) -> String {
        "q_" + digits(of: "\(session)\u{0}web\u{0}\(place.loopID)\u{0}\(place.token)")
    }

    private static func digits(of text: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(8))
    }
}
