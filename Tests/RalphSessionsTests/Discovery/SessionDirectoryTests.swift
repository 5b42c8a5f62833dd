import RalphSessions
import RalphWire
import Testing

@Suite struct SessionDirectoryTests {
    private let directory = SessionDirectory(path: "/w/.ralph", workspace: "/w", layout: .ralph)

    @Test func `an id is the beginning of the digest of the path`() {
        // printf %s /w/.ralph | sha256sum
        #expect(directory.id.rawValue == "ff52c4ecfd8f932a")
    }

    @Test(arguments: [
        (".ralph/events-1.jsonl", "/w/.ralph/events-1.jsonl"),
        (" .ralph/events-1.jsonl\n", "/w/.ralph/events-1.jsonl"),
        ("/w/.ralph/events-1.jsonl", "/w/.ralph/events-1.jsonl"),
        ("./.ralph//./e.jsonl", "/w/.ralph/e.jsonl"),
        ("sub/../e.jsonl", "/w/e.jsonl"),
    ])
    func `a pointer is relative to the workspace or absolute`(pointer: String, path: String) {
        #expect(directory.eventsPath(pointer: pointer) == path)
    }

    @Test(arguments: [
        "", " \n", "../other/e.jsonl", "/etc/passwd", "/w2/e.jsonl", "../../..", ".", "a\0b", "a\nb",
    ])
    func `a pointer that leads out of the workspace means nothing`(pointer: String) {
        #expect(directory.eventsPath(pointer: pointer) == nil)
    }

    @Test func `a session beside others has its own scratchpad whatever is configured`() {
        let nested = SessionDirectory(path: "/w/.ralph/sessions/x", workspace: "/w", layout: .nested)
        #expect(nested.scratchpadPlaces(configured: "pad.md") == ["/w/.ralph/sessions/x/scratchpad.md"])
        #expect(directory.scratchpadPlaces(configured: "pad.md") == ["/w/pad.md"] + directory.scratchpads)
        #expect(directory.scratchpadPlaces(configured: ".ralph/pad.md").first == "/w/.ralph/pad.md")
        #expect(directory.scratchpadPlaces(configured: nil) == directory.scratchpads)
    }

    @Test(arguments: [
        ("events.jsonl", true), ("events-20260101-000000.jsonl", true), ("events-.jsonl", false),
        ("events-1.json", false), ("history.jsonl", false), ("xevents-1.jsonl", false),
    ])
    func `events files are told by their names`(name: String, isEvents: Bool) {
        #expect(SessionDirectory.isEventsFileName(name) == isEvents)
    }

    @Test(arguments: [
        ("events-20260101-000000.jsonl", true), ("events.jsonl", false), ("events-old.jsonl", false),
        ("events-2026010a-000000.jsonl", false), ("events-20260101_000000.jsonl", false),
        ("events-20260101-0000000.jsonl", false), ("events-20260101-00000.jsonl", false),
    ])
    func `files of runs are dated`(name: String, isDated: Bool) {
        #expect(SessionDirectory.isDatedEventsFileName(name) == isDated)
    }
}
