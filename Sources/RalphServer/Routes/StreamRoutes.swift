import HTTPTypes
import NIOHTTP1
import RalphFeed
import RalphWire
import Synchronization

/// The routes that end in a stream. They are answered by the connection itself, not by the router.
struct StreamRoutes: Sendable {
    let feed: EventFeed
    let catalogue: SessionCatalogue
    let clients: StreamClients
    let counters: StreamCounters
    let limits: StreamLimits

    /// The paths, for the table of routes: those that are never a page.
    static let paths = ["/api/sessions/{id}/events.ndjson", "/api/events", "/api/events.ndjson"]

    /// What a request asks to be streamed; `nil` if it is not for a stream, so that the router has it.
    func plan(
        _ head: HTTPRequestHead, _ path: RequestPath, for caller: Caller
    ) -> Result<StreamPlan, Problem>? {
        guard head.method == .GET || head.method == .HEAD,
            let (id, form) = Self.target(path, head.headers)
        else { return nil }
        do throws(Problem) {
            var plan = try plan(head, path, id, form)
            plan.device = caller.device
            return .success(plan)
        } catch {
            return .failure(error)
        }
    }

    /// A stream of this plan is not opened: its client's place is kept for the next one.
    func giveBack(_ plan: StreamPlan) {
        guard let client = plan.client, plan.isRemembered, case .session(let id) = plan.options.source
        else {
            return
        }
        clients.noteEnd(client: client, session: id, cursor: plan.cursor, now: WallClock.milliseconds())
    }

    /// The head of a stream's response: nothing in it lets anybody keep, change or hold back the stream.
    func responseHead(for plan: StreamPlan, _ head: HTTPRequestHead) -> HTTPResponseHead {
        let isSSE = plan.options.form == .serverSentEvents
        var headers: HTTPHeaders = [
            "Content-Type": isSSE ? "text/event-stream" : "application/x-ndjson",
            "Cache-Control": "no-cache, no-transform",
            "X-Accel-Buffering": "no",
            "X-Content-Type-Options": "nosniff",
        ]
        if head.version.major == 1 {
            headers.add(
                name: "Connection", value: plan.isChunked && plan.options.isFollowing ? "keep-alive" : "close"
            )
        }
        if plan.isChunked { headers.add(name: "Transfer-Encoding", value: "chunked") }
        if let client = plan.client, client != cookie(head.headers) {
            headers.add(
                name: "Set-Cookie",
                value: "ralph_client=\(client); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict")
        }
        return HTTPResponseHead(version: head.version, status: .ok, headers: headers)
    }

    /// The client instance that a request comes from, if it told.
    func cookie(_ headers: HTTPHeaders) -> String? {
        Self.client(inCookies: headers["cookie"])
    }

    /// The value of `ralph_client`, if it is one of ours: 32 hexadecimal digits.
    static func client(inCookies fields: [String]) -> String? {
        for field in fields {
            for part in field.split(separator: ";") {
                let pair = part.drop { $0 == " " }
                guard pair.hasPrefix("ralph_client=") else { continue }
                let value = pair.dropFirst("ralph_client=".count)
                if Hexadecimal.isDigits(value, count: 32) { return String(value) }
            }
        }
        return nil
    }

    /// Whether a stream is asked for, by the path and by what the request's `Accept` likes best.
    static func isStream(_ path: RequestPath, _ headers: HTTPHeaders) -> Bool {
        target(path, headers) != nil
    }

    private static func target(
        _ path: RequestPath, _ headers: HTTPHeaders
    ) -> (id: Substring?, form: StreamOptions.Form)? {
        let segments = path.segments
        guard let last = segments.last, segments.first == "api" else { return nil }
        let form: StreamOptions.Form
        switch last {
        case "events": form = .serverSentEvents
        case "events.ndjson": form = .newlineDelimited
        default: return nil
        }
        if segments.count == 2 { return (nil, form) }
        guard segments.count == 4, segments[1] == "sessions" else { return nil }
        // Of one session there are pages, too.
        if form == .serverSentEvents, MediaRanges(headers["accept"]).prefersPages { return nil }
        return (segments[2], form)
    }

    private func plan(
        _ head: HTTPRequestHead, _ path: RequestPath, _ id: Substring?, _ form: StreamOptions.Form
    ) throws(Problem) -> StreamPlan {
        let source: StreamOptions.Source
        if let id { source = .session(try catalogue.resolve(id)) } else { source = .all }
        guard counters.open.load(ordering: .relaxed) < limits.maximumStreams else {
            throw .streamsExhausted(limit: limits.maximumStreams)
        }
        let now = WallClock.milliseconds()
        let options = try StreamOptions(
            source: source, form: form, query: QueryItems(path.query),
            lastEventID: head.headers.first(name: "last-event-id"), now: now)
        let client = cookie(head.headers) ?? Self.mintClient()
        let isRemembered = source != .all && options.isPlain && isRealApp(head.headers)
        var resumed: Int64?
        if case .session(let id) = source, isRemembered, head.method == .GET {
            resumed = clients.takeEnd(client: client, session: id, now: now)
        }
        return StreamPlan(
            options, feed: feed, client: source == .all ? nil : client, isRemembered: isRemembered,
            resumed: resumed,
            isChunked: head.version.major == 1 && head.version.minor > 0)
    }

    /// Only the app is guessed about: it reconnects without a cursor (http-contract 4.4, 14). Of one behind a proxy it is
    /// the proxy that confirms what was sent.
    private func isRealApp(_ headers: HTTPHeaders) -> Bool {
        guard headers.first(name: "user-agent")?.contains("CFNetwork") == true else { return false }
        return !Peer.isForwarded(headers)
    }

    private static func mintClient() -> String {
        Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...UInt8.max) })
    }
}
