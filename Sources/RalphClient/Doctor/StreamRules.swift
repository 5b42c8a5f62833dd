import NIOHTTP1
import RalphWire

/// What a stream that was watched says of the way to the server.
enum StreamRules {
    private static let unbuffered =
        "Switch buffering off for this server: proxy_buffering off (nginx), flush_interval -1 (Caddy),"
        + " flushpackets=on (Apache)."

    static func judge(_ seen: StreamObservation, _ limits: ExaminationLimits) -> [Finding] {
        guard let head = seen.head else {
            let why = seen.reason.map { ": \($0)" } ?? " within \(Milliseconds.text(limits.answer))"
            return [.fail("stream", "no head came\(why)", unbuffered)]
        }
        guard head.status.code == 200 else {
            return [
                .fail(
                    "stream", "answered with \(head.status.code)", "Look at what the server says to curl -i.")
            ]
        }
        guard head.headers.first(name: "content-type")?.hasPrefix("text/event-stream") == true else {
            let type = head.headers.first(name: "content-type") ?? "nothing"
            return [.fail("stream", "it calls itself \(type)", "Something in between changes answers.")]
        }
        return changes(head.headers) + [flow(seen, limits), end(seen, limits)].compactMap { $0 }
    }

    /// Whether bytes come when they are written.
    private static func flow(_ seen: StreamObservation, _ limits: ExaminationLimits) -> Finding? {
        guard let first = seen.pieces.first else {
            // One that ended at once is told by its end.
            guard seen.life >= limits.firstByte else { return nil }
            return .fail(
                "buffering", "the head came, but no byte in \(Milliseconds.text(seen.life))", unbuffered)
        }
        guard first <= limits.firstByte else {
            return .fail(
                "buffering", "the first byte was held back for \(Milliseconds.text(first))", unbuffered)
        }
        guard seen.opening.starts(with: ": open".utf8) else {
            return .warn(
                "buffering", "the stream does not begin with the server's comment",
                "Something in between changes it.")
        }
        let longest = limits.keepAlive + limits.slack
        if seen.longestSilence > longest {
            return .fail(
                "buffering",
                "the beginning came, then nothing for \(Milliseconds.text(seen.longestSilence)); a keep-alive is"
                    + " written every \(Milliseconds.text(limits.keepAlive))",
                unbuffered)
        }
        let rhythm =
            seen.life > longest
            ? ", then never silent for longer than \(Milliseconds.text(seen.longestSilence))" : ""
        return .ok(
            "buffering", "none: the first byte came \(Milliseconds.text(first)) after the head\(rhythm)")
    }

    /// Whether it lived as long as it should.
    private static func end(_ seen: StreamObservation, _ limits: ExaminationLimits) -> Finding? {
        let life = Milliseconds.text(seen.life)
        guard seen.survived else {
            let why = seen.reason.map { " (\($0))" } ?? ""
            return .fail(
                "idle", "cut after \(life)\(why)",
                "Something in between ends quiet connections: give it a timeout well above 15 s"
                    + " (proxy_read_timeout 1h in nginx).")
        }
        guard limits.watch > limits.keepAlive + limits.slack else {
            return .ok("idle", "alive after \(life), which is shorter than the rhythm of keep-alives")
        }
        return .ok("idle", "alive after \(life)")
    }

    /// What was done to the head on the way.
    private static func changes(_ headers: HTTPHeaders) -> [Finding] {
        var findings: [Finding] = []
        if let coding = headers.first(name: "content-encoding") {
            findings.append(
                .warn(
                    "transform", "the stream is compressed on the way (\(coding))",
                    "Compression holds events back: except text/event-stream from it."))
        }
        if headers.first(name: "cache-control")?.contains("no-transform") != true {
            findings.append(
                .warn(
                    "transform", "Cache-Control is not as the server set it",
                    "Something in between may cache or change the stream: except it."))
        }
        if !headers.contains(name: "x-accel-buffering") {
            findings.append(
                .ok("transform", "X-Accel-Buffering was taken out, as nginx does when it heeds it"))
        }
        return findings
    }
}
