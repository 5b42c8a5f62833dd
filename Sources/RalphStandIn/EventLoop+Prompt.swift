import Foundation

/// The text that an agent gets.
extension EventLoop {
    /// Builds the prompt of this iteration and takes the pending events with it. New guidance also goes to the
    /// scratchpad (contract 4.6).
    func makePrompt() throws(StandInError) -> String {
        let fresh = pending.filter { $0.topic == "human.guidance" }.map { $0.payload ?? "" }
        for text in fresh {
            state.guidance.append(text)
            try TextFile.append(
                ["\n### HUMAN GUIDANCE (\(Moment().heading))\n\n\(text)\n"], to: context.scratchpad)
        }
        var sections = ["You are Ralph.", "## OBJECTIVE\n\n\(context.prompt)"]
        if let notes = TextFile.read(context.scratchpad), !notes.isEmpty {
            sections.append("## SCRATCHPAD\n\n" + notes.suffix(16_000))
        }
        if !state.guidance.isEmpty {
            let list = state.guidance.enumerated().map { "\($0 + 1). \($1)" }
            sections.append("## ROBOT GUIDANCE\n\n" + list.joined(separator: "\n"))
        }
        let others = pending.filter { $0.topic != "human.guidance" }
        if !others.isEmpty {
            let list = others.map { "[\($0.topic)] \($0.payload ?? "")" }
            sections.append("## PENDING EVENTS\n\n" + list.joined(separator: "\n"))
        }
        for hat in activeHats {
            sections.append("## ACTIVE HAT: \(hat.id)\n\n### \(hat.name) Instructions\n\n\(hat.instructions)")
        }
        sections.append(
            "Publish with `ralph emit \"topic\" \"payload\"`; when all is done: `ralph emit "
                + "\"\(context.completionTopic)\"`.")
        pending = []
        return sections.joined(separator: "\n\n") + "\n"
    }
}
