import Foundation
import RalphFeed
import RalphWire

/// The conversation in a page of events: what the agent said and what people answered (http-contract 16.3).
struct SessionMessages: Encodable, Sendable {
    /// One turn.
    struct Message: Encodable, Sendable {
        let id: String
        let seq: Int64
        let role: String
        let content: String
        let ts: String
    }

    /// What of an event's JSON makes a message.
    private struct Source: Decodable {
        let topic: String
        let ts: String
        let payload: String?
        let output: String?
    }

    let id: String
    let messages: [Message]

    init(session: SessionID, page: HistoryPage) {
        id = session.rawValue
        var messages: [Message] = []
        let decoder = JSONDecoder()
        for case .events(let slice) in page.pieces {
            let block = slice.block
            for index in slice.range {
                let entry = block.entries[index]
                guard let role = Self.role(block.bytes[entry.topic]),
                    // An event that we wrote is JSON; one that is not is no message.
                    let source = try? decoder.decode(Source.self, from: Data(block.json(at: index)))
                else { continue }
                let seq = block.firstSeq + Int64(index)
                messages.append(
                    Message(
                        id: EventID(session: session, seq: seq).description, seq: seq, role: role,
                        content: source.payload ?? source.output ?? "", ts: source.ts))
            }
        }
        self.messages = messages
    }

    private static let roles: [[UInt8]: String] = [
        Array("agent.text".utf8): "assistant", Array("human.interact".utf8): "assistant",
        Array("human.guidance".utf8): "user", Array("human.response".utf8): "user",
        Array("tool.completed".utf8): "tool", Array("tool.failed".utf8): "tool",
        Array("loop.terminate".utf8): "system", Array("task.start".utf8): "user",
    ]

    private static func role(_ topic: ArraySlice<UInt8>) -> String? { roles[Array(topic)] }
}
