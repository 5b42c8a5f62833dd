import RalphWire
import Testing

@testable import RalphServer
@testable import RalphSessions

@Suite struct StartLinesTests {
    @Test(arguments: [
        ("0.0.0.0", false, true, #"curl -N -H "X-Api-Key: YOUR_KEY" http://127.0.0.1:80/"#),
        ("::", true, true, #"curl -Nk -H "X-Api-Key: YOUR_KEY" https://[::1]:80/"#),
        ("127.0.0.1", false, false, "curl -N http://127.0.0.1:80/"),
        ("192.0.2.2", true, false, "curl -Nk https://192.0.2.2:80/"),
    ])
    func `the line to watch with can be typed as it is but for the key`(
        _ host: String, _ isSecure: Bool, _ needsKey: Bool, _ command: String
    ) {
        let line = StartLines.watch(
            SessionID(digestPrefix: 1), host: host, port: 80, isSecure: isSecure, needsKey: needsKey)
        #expect(line == "Watch it live:  \(command)api/sessions/0000000000000001/events")
    }

    @Test func `a journal is known by its device and inode`() throws {
        let status = try #require(EntryStatus(descriptor: 1))
        let journal = "\(status.device):\(status.inode)"
        #expect(StandardStream.output.isJournal(["JOURNAL_STREAM": journal]))
        #expect(!StandardStream.output.isJournal(["JOURNAL_STREAM": "1" + journal]))
        #expect(!StandardStream.output.isJournal([:]))
    }

    @Test func `a minted key is told to a person and its file to a journal`() {
        #expect(StartLines.key("secret", file: "/state/api-key", isShown: true).hasSuffix(": secret"))
        let line = StartLines.key("secret", file: "/state/api-key", isShown: false)
        #expect(!line.contains("secret"))
        #expect(line.contains("/state/api-key"))
    }
}
