import Testing

@testable import RalphServer

struct MediaRangesTests {
    @Test(arguments: [
        ("application/problem+json", true),
        ("application/problem+json, application/json", true),
        ("application/json, application/problem+json", true),
        ("application/problem+json;q=0.9, application/json;q=0.5", true),
        ("Application/Problem+JSON; charset=utf-8", true),
        ("text/html, application/problem+json;q=0.001", true),
        ("application/json, application/problem+json;q=0.5", false),
        ("application/problem+json;q=0.5, */*", false),
        ("application/problem+json;q=0.5, application/*;q=0.4, */*;q=1", true),
        ("application/problem+json;q=0", false),
        ("application/problem+json;q=0.000", false),
        ("application/json", false), ("*/*", false), ("application/*", false), ("", false),
        ("application/problem+json;q=2", false), ("application/problem+json;q=0.1234", false),
        ("application/problem+json;q=", false), ("application/problem+json;q=1.001", false),
        ("text/plain;a=\"b, application/problem+json\"", false),
        ("text/plain;a=\"\\\", application/problem+json", false),
        ("application /problem+json", false), ("*/problem+json", false), (",,;,/", false),
    ])
    func `problem documents are for those who name them and like plain JSON no better`(
        _ accept: String, _ isPreferred: Bool
    ) {
        #expect(MediaRanges([accept]).prefersProblemDocuments == isPreferred)
    }

    @Test(arguments: [
        ("application/json", true), ("APPLICATION/JSON", true), ("application/json; charset=utf-8 ", true),
        ("application/json, text/plain, */*", true), ("application/json;q=0.1", true),
        ("application/json, text/event-stream;q=0.5", true),
        ("text/event-stream;q=0, application/json", true),
        ("application/json, text/event-stream", false),
        ("application/json;q=0.1, text/event-stream", false),
        ("application/json;q=0.5, */*", false), ("application/json;q=0.5, text/*", false),
        ("application/json;q=0", false), ("application/json;q=0, */*", false),
        ("application/json-seq", false), ("application/*", false), ("*/*", false), ("", false),
        ("text/event-stream", false), ("text/event-stream;q=0", false),
    ])
    func `pages are for those who name JSON and like the stream less`(
        _ accept: String, _ isPreferred: Bool
    ) {
        #expect(MediaRanges([accept]).prefersPages == isPreferred)
    }

    @Test(arguments: [
        ("text/plain", true), ("TEXT/PLAIN; charset=utf-8", true), ("text/plain, */*", true),
        ("text/plain, application/json;q=0.1", true), ("text/plain, application/json;q=0", true),
        ("text/plain;q=0.1", true),
        ("application/json, text/plain, */*", false), ("application/json;q=1, text/plain;q=0.1", false),
        ("application/json, text/plain;q=0", false), ("text/plain;q=0.5, */*", false),
        ("text/plain;q=0", false), ("text/*", false), ("text/html", false), ("*/*", false), ("", false),
    ])
    func `plain text is for those who name it and like JSON less`(_ accept: String, _ isPreferred: Bool) {
        #expect(MediaRanges([accept]).prefersPlainText == isPreferred)
    }

    @Test(arguments: [
        ("application/json", true), ("APPLICATION/JSON", true), ("application/*", true),
        ("application/json, text/plain, */*", true), ("application/json;q=0.1", true),
        ("application/json, text/plain;q=0", true), ("*/*, text/plain;q=0.5", true),
        ("text/plain, application/json;q=0.1", false), ("text/plain, application/json;q=0", false),
        ("application/json;q=0.5, */*", false), ("application/json;q=0", false),
        ("application/*, text/*", false), ("text/plain", false), ("text/html, */*;q=0.8", false),
        ("*/*", false), ("", false),
    ])
    func `a report is for those who name JSON or like it better than text`(
        _ accept: String, _ isPreferred: Bool
    ) {
        #expect(MediaRanges([accept]).prefersReports == isPreferred)
    }

    @Test func `several fields are one list`() {
        let ranges = MediaRanges(["application/json;q=0.2", "application/problem+json;q=0.3"])

        #expect(ranges.weight("application", "json") == 200)
        #expect(ranges.prefersProblemDocuments)
    }

    @Test func `the most specific range decides`() {
        let ranges = MediaRanges(["*/*;q=0.1, text/*;q=0.25, text/html;q=0.5"])

        #expect(ranges.weight("text", "html") == 500)
        #expect(ranges.weight("text", "css") == 250)
        #expect(ranges.weight("image", "png") == 100)
    }

    @Test func `no more than a bounded number of ranges is looked at`() {
        let ranges = MediaRanges([String(repeating: "a/b,", count: 1000)])
        #expect(ranges.ranges.count == MediaRanges.maximumCount)
    }

    @Test(arguments: [
        (0, ",application/json", true), (1, ",application/json", false),
        (4, ",application/json;q=1", false), (-4, ",application/json;q=1", true),
    ])
    func `what does not end within the first bytes is as if it had not been sent`(
        _ missing: Int, _ last: String, _ isPreferred: Bool
    ) {
        // The range for JSON ends so many bytes behind the bound.
        let length = MediaRanges.maximumBytes - ",application/json".utf8.count + missing
        let first = "a/b;" + String(repeating: "c", count: length - 4)

        #expect(MediaRanges([first + last]).prefersPages == isPreferred)
        #expect(MediaRanges([first, String(last.dropFirst())]).prefersPages == isPreferred)
    }

    @Test func `fields are read no further than the bounds, however many there are`() {
        let long = String(repeating: "a/b;", count: 1000)
        #expect(MediaRanges([long, "application/json"]).ranges.isEmpty)
        #expect(MediaRanges(Array(repeating: "/", count: 64) + ["application/json"]).ranges.isEmpty)
        #expect(MediaRanges([String(repeating: ",", count: 1000) + "application/json"]).ranges.count == 1)
    }
}
