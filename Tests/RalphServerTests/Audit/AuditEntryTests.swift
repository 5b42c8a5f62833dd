import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

struct AuditEntryTests {
    private func line(_ entry: AuditEntry, seq: Int64 = 1) -> String {
        var bytes: [UInt8] = []
        entry.append(seq: seq, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `an entry is one line of JSON with its members in order`() throws {
        let device = try #require(DeviceID("0123456789ab"))
        let caller = Caller(peer: "10.0.0.5", access: .device(device), scope: .steer)
        var entry = AuditEntry("POST /api/sessions/{id}/stop", at: 0, by: caller, target: "ab12")
        entry.outcome = .refused
        entry.status = 403
        entry.count = 3

        #expect(
            line(entry, seq: 12)
                == #"{"seq":12,"ts":"1970-01-01T00:00:00.000Z","who":"device","device":"0123456789ab","#
                + #""peer":"10.0.0.5","action":"POST /api/sessions/{id}/stop","target":"ab12","#
                + #""outcome":"refused","status":403,"count":3}"# + "\n")
    }

    @Test func `whoever may do nothing is nobody`() {
        let stranger = Caller(peer: "10.0.0.5", access: .open, scope: nil)

        #expect(line(AuditEntry("GET /", at: 0, by: stranger)).contains(#""who":"nobody""#))
    }

    @Test(arguments: ["a\nb", "a\u{1b}[31mb", "a\u{9b}b", "a\u{202e}b", "a\u{2028}b", "a\"b\\"])
    func `a target neither ends the line nor steers a terminal`(_ target: String) throws {
        let text = line(AuditEntry("x", at: 0, target: target))

        #expect(text.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
        #expect(text.unicodeScalars.allSatisfy { ![0x202E, 0x2028].contains($0.value) })
    }

    @Test func `a target is cut at 200 bytes, between characters`() throws {
        let entry = AuditEntry("x", at: 0, target: String(repeating: "ü", count: 150))

        #expect(entry.target == String(repeating: "ü", count: AuditEntry.maximumTargetBytes / 2))
    }

    @Test func `a token in the place of an id is withheld`() {
        #expect(AuditEntry("x", at: 0, target: TestSecrets.token).target == "(withheld)")
    }
}
