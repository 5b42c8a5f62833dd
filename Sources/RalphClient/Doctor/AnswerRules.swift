import NIOHTTP1
import RalphWire

/// What the heads of answers tell of the way to a server.
enum AnswerRules {
    /// Headers by which those in between name themselves.
    private static let traces = [
        "server", "via", "cf-ray", "x-served-by", "x-cache", "x-envoy-upstream-service-time",
    ]

    /// The answers to `/livez`, of which some may be missing.
    static func judge(probes replies: [Reply]) -> [Finding] {
        guard let first = replies.first else { return [] }
        if first.isRedirect {
            let place = first.head.headers.first(name: "location") ?? "nowhere"
            return [
                .fail(
                    "livez", "redirected with \(first.status) to \(place)",
                    "The app follows no redirects: use the address that answers itself.")
            ]
        }
        guard isAlive(first) else {
            return [
                .fail(
                    "livez", "answered with \(first.status), not with 200 and OK",
                    "This is no ralph-mobile-server, or something in between answers for it.")
            ]
        }
        let others = replies.filter { !isAlive($0) }
        guard others.isEmpty else {
            let statuses = Set(others.map(\.status)).sorted().map(String.init).joined(separator: ", ")
            return [
                .fail(
                    "livez",
                    "\(others.count) of \(replies.count) answered with \(statuses), not with 200 and OK",
                    "Something in between answers for the server at times: see its log.")
            ]
        }
        let times = replies.map(\.time).sorted()
        return [
            .ok(
                "livez",
                "\(replies.count) answers, \(Milliseconds.text(times[times.count / 2])) in the median")
        ] + intermediaries(first.head.headers)
    }

    private static func isAlive(_ reply: Reply) -> Bool {
        reply.status == 200 && String(decoding: reply.body.prefix(16), as: UTF8.self) == "OK"
    }

    /// Who in between says so.
    static func intermediaries(_ headers: HTTPHeaders) -> [Finding] {
        let found = traces.compactMap { name in headers.first(name: name).map { "\(name): \($0)" } }
        return found.isEmpty ? [] : [.ok("between", found.joined(separator: "; "))]
    }

    /// The difference between its clock and ours in milliseconds; positive: it is ahead.
    static func judge(clockDifference: Int64) -> Finding {
        let text = clockDifference < 0 ? "behind" : "ahead"
        let seconds = "\(abs(clockDifference) / 1000).\(abs(clockDifference) / 100 % 10) s"
        return abs(clockDifference) > 5000
            ? .warn("clock", "its clock is \(seconds) \(text) of ours", "Let a time service keep both.")
            : .ok("clock", "its clock differs from ours by \(seconds)")
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7) in milliseconds since 1970.
    static func milliseconds(date text: String) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ")
        guard words.count == 6, let month = months.firstIndex(of: String(words[2])), words[1].count == 2
        else {
            return nil
        }
        let number = (month < 9 ? "0" : "") + String(month + 1)
        return Timestamp.parse(Array("\(words[3])-\(number)-\(words[1])T\(words[4])Z".utf8))
    }
}
