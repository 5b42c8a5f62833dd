import Foundation
import RalphSessions
import Testing

struct StoredStateTests {
    /// Members that versions before control did not write.
    private static let new = ["pauseRequestedAt", "stopRequestedAt", "resumeRequestedAt"]

    @Test func `a state that was stored before control was known still decodes`() throws {
        var reading = Reading()
        reading.engine(
            #"{"ts":"2026-11-21T03:20:36Z","iteration":0,"hat":"loop","topic":"task.start","payload":"go"}"#
                + "\n" + #"{"topic":"human.interact","payload":"which?","ts":"2026-11-21T03:20:37Z"}"#)
        for request in [ControlNote.Request.pause, .stop, .resume] {
            reading.note(.requested(request, at: 5))
        }
        var object = try decode(String(decoding: JSONEncoder().encode(reading.narrator.state), as: UTF8.self))
        #expect(Self.new.allSatisfy { object[$0] != nil })
        for name in Self.new { object[name] = nil }
        var questions = try #require(object["questions"] as? [[String: Any]])
        (questions[0]["place"], questions[0]["hat"]) = (nil, nil)
        object["questions"] = questions

        let old = try JSONSerialization.data(withJSONObject: object)
        let state = try JSONDecoder().decode(SessionState.self, from: old)
        #expect(state.runs == 1 && state.pauseRequestedAt == nil)
        #expect(state.questions.map(\.text) == ["which?"] && state.questions[0].place == nil)
    }

    @Test func `requests outlive a restart`() throws {
        var reading = Reading()
        reading.note(.requested(.pause, at: 5))
        reading.note(.requested(.resume, at: 6))

        let bytes = try JSONEncoder().encode(reading.narrator.state)
        let state = try JSONDecoder().decode(SessionState.self, from: bytes)
        #expect(state.pauseRequestedAt == 5 && state.resumeRequestedAt == 6 && state.stopRequestedAt == nil)
    }
}
