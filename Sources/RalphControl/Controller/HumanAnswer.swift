/// A person's answer, and the channel on which its question waits (contract 6.5, 6.6).
package enum HumanAnswer: Sendable, Equatable {
    /// A `human.response` row: the Telegram robot waits for one, and without a robot it is an event like others.
    case row(text: String)
    /// The web robot's file. `id` is the question's, as JSON text (`1`); all three names come from its file.
    case web(id: String, loopID: String, token: String, text: String)

    var text: String {
        switch self {
        case .row(let text), .web(_, _, _, let text): text
        }
    }
}
