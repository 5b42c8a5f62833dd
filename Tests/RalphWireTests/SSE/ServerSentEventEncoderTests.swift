import RalphWire
import Testing

struct ServerSentEventEncoderTests {
    @Test(arguments: [1, 9, 10, 99, 100, 12_345, Int64.max])
    func `a frame has the announced length and its parts where the layout says`(seq: Int64) throws {
        let session = try #require(SessionID("00112233445566ff"))
        let encoder = ServerSentEventEncoder(session: session)
        let members = Array(#""type":"a""#.utf8)
        let count = encoder.byteCount(seq: seq, memberBytes: members.count)
        var layout: ServerSentEventEncoder.Layout?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, written in
            guard let base = UnsafeMutableRawPointer(target.baseAddress) else { return }
            layout = members.withUnsafeBytes { encoder.write(seq: seq, members: $0, to: base) }
            written = count
        }

        let json = """
            {"id":"evt_00112233445566ff-\(seq)","seq":\(seq),"session_id":"00112233445566ff","type":"a"}
            """
        #expect(String(decoding: bytes, as: UTF8.self) == "id: \(seq)\nevent: workflow\ndata: \(json)\n\n")
        let found = try #require(layout)
        #expect(String(decoding: bytes[found.json], as: UTF8.self) == json)
        #expect(found.count == count)
        #expect(Array(bytes[found.membersStart..<found.membersStart + members.count]) == members)
    }
}
