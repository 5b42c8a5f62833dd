import Hummingbird
import NIOCore
import NIOHTTP1
import RalphWire
import Synchronization

/// One HTTP/1.1 connection, or one request of an HTTP/2 connection: takes requests apart, asks who may, hands
/// them to the router or to a stream, and writes what comes back.
///
/// Confined to its event loop. It owns one request at a time (``HTTPServerPipelineHandler`` in front of it keeps
/// pipelined ones waiting). A stream takes the connection over for good, so an open stream costs no task and
/// no encoder (design 10).
final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    enum State {
        case waiting
        /// Its body so far is in ``HTTPConnection/body``.
        case receiving(HTTPRequestHead)
        /// The answer is known, and does not depend on the body, of which so much has come.
        case dropping(HTTPRequestHead, Problem, length: Int)
        /// The answer is known, and held back.
        case held(Scheduled<Void>, HTTPResponseStatus, HTTPMethod)
        case responding
        /// The answer is made, and the client has to take more of it before the next request is looked at.
        case delivering
        case closing
        /// The answer is out and its end announced; so much more is read and dropped, so that the answer is read.
        case discarding(left: Int)
    }

    let services: HTTPServices
    let shard: ConnectionShard
    /// The connection's, or the one below it.
    let socket: Int32
    /// Nothing is done to the bytes on the way to the socket.
    let isDirect: Bool
    /// The front of the HTTP/2 stream that this is; `nil`: a connection of its own.
    let http2: HTTP2Stream?
    /// The handlers in front of this one, which a stream has no use for.
    var codec: [any RemovableChannelHandler]
    var state = State.waiting
    /// The second of the shard's clock at which patience ends; `nil` while we are the ones who work.
    var deadline: Int64?
    private(set) var context: ChannelHandlerContext?
    /// Is told of each request; stands in front of the codec.
    private weak var repeated: RepeatedRequest?
    private var hasServed = false
    /// How many responses end within each other.
    var depth = 0
    static let maximumDepth = 16
    /// Whether the client has closed its sending half.
    private var isInputClosed = false
    /// Whether the answer ends a request whose rest is not wanted.
    var isCutShort = false
    /// Bytes of the answer that waited when that was last looked at; `nil`: it was not.
    private var undelivered: Int?
    /// What of the answer counts as not taken yet.
    var debt: ByteDebts.Debt?
    /// What has come of the body of the request in hand. Apart from ``state``, so that it has one owner while it grows.
    var body = ByteBuffer()
    /// What of the body, and of a head that counts, is its sender's.
    var bodyDebt: ByteDebts.Debt?
    /// The size of the head in hand, if it counts.
    var headBytes = 0
    /// The target of the request in hand.
    private(set) var path = RequestPath("/")
    /// The other end of the connection.
    private(set) var peer = Peer(nil)
    /// Bytes that were read since the head of the request in hand.
    var readBytes = 0
    /// Who the request in hand comes from.
    var caller = Caller(peer: "unknown", access: .open, scope: nil)
    /// Where the request in hand is counted, and since when it is in hand.
    private(set) var route: Int
    private(set) var begun = NIODeadline.uptimeNanoseconds(0)
    /// The method of the request in hand if that is recorded whatever becomes of it, until it is.
    var recorded: HTTPMethod?
    /// What becomes of it is recorded already, as unknown.
    var isCutOff = false

    init(
        services: HTTPServices, shard: ConnectionShard, socket: Int32, isDirect: Bool,
        codec: [any RemovableChannelHandler], http2: HTTP2Stream? = nil
    ) {
        self.http2 = http2
        self.socket = socket
        self.isDirect = isDirect
        self.services = services
        self.shard = shard
        self.codec = codec
        route = services.figures.unmatchedRoute
        deadline = shard.seconds + services.limits.headSeconds
    }

    /// Sets up what knows repeated requests, to be put in front of the codec.
    func makeRepeated() -> RepeatedRequest {
        let repeated = RepeatedRequest(self, descriptor: isDirect ? socket : nil)
        self.repeated = repeated
        codec.insert(repeated, at: 0)
        return repeated
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let ends: (SocketAddress?, SocketAddress?) =
            http2 == nil
            ? (context.remoteAddress, context.localAddress)
            : (context.channel.remoteAddress, context.channel.localAddress)
        peer = Peer(ends.0, local: ends.1)
        shard.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        shard.remove(self)
        pay()
        dropBody()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .held(let answer, let status, let method) = state {
            answer.cancel()
            note(status, method)
        }
        state = .closing
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting): receive(head, context)
        case (.body(let part), .receiving(let head)): take(part, head, context)
        case (.end, .receiving(let head)): answer(head, context)
        case (.body(let part), .dropping(let head, let problem, let length)):
            drop(part, head, problem, length, context)
        case (.end, .dropping(let head, let problem, _)):
            state = .responding
            write(Answer(problem), head, context)
        default: break  // the rest of a request that has been refused
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow, is ByteToMessageDecoderError.PayloadTooLargeError:
            refuse(.headersTooLarge(services.limits), nil, context)
        case is HTTPParserError: refuse(.malformedRequest, nil, context)
        default: context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        // Nothing more comes: what is being answered is still written, and what was answered may wait in the channel.
        isInputClosed = true
        switch state {
        case .responding, .delivering, .held, .closing, .discarding: return
        case .waiting, .receiving, .dropping:
            guard isDirect else {
                // Through TLS nothing empty can be written; its own end goes behind what was.
                context.flush()
                return context.close(promise: nil)
            }
            close(context, behind: ByteBuffer())
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .delivering = state, context.channel.isWritable { finish(context, closing: isLast) }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Time

    /// Called each second.
    func tick(second: Int64) {
        guard let context else { return }
        switch state {
        case .delivering, .closing:
            if hasProgress(context) { deadline = second + services.limits.closingSeconds }
        case .waiting, .receiving, .dropping, .held, .responding, .discarding: break
        }
        guard let deadline, second >= deadline else { return }
        self.deadline = nil
        switch state {
        case .waiting where hasServed: context.close(promise: nil)
        case .waiting: refuse(.requestTimeout("request head"), nil, context)
        case .receiving(let head), .dropping(let head, _, _):
            refuse(.requestTimeout("request body"), head, context)
        case .delivering:
            services.streams.counters.untakenAnswers.add(1, ordering: .relaxed)
            context.close(promise: nil)
        case .closing, .discarding: context.close(promise: nil)
        case .responding, .held: break
        }
    }

    /// The server goes down: an idle connection is closed at once, a working one after its answer.
    func drain() {
        guard let context else { return }
        switch state {
        case .waiting, .held, .discarding: context.close(promise: nil)
        default: break
        }
    }

    // MARK: Requests

    private func receive(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let head = http2 == nil ? HeadRules.trimmed(received) : received
        state = .receiving(head)
        begun = .now()
        readBytes = 0
        deadline = shard.seconds + services.limits.bodySeconds
        if let problem = http2?.problem ?? HeadRules.problem(with: received, services.limits) {
            caller = Caller(peer: peer.text, access: .open, scope: nil, isLocal: peer.isLocal)
            (path, route) = (RequestPath("/"), services.figures.unmatchedRoute)
            return refuse(problem, head, context)
        }
        path = RequestPath(head.uri)
        route = services.figures.route(of: path)
        recorded = services.audit.isRecorded(head.method, route: route) ? head.method : nil
        if recorded != nil { caller = Caller(peer: peer.text, access: .open, scope: nil) }  // not yet known
        let length = HeadRules.length(of: head) ?? 0
        let admission = services.gate.admit(request(head, path, route))
        switch admission {
        case .success(let caller): self.caller = caller
        case .failure(let refusal): caller = refusal.caller
        }
        if let problem = overLimit(caller, head.method, route) { return dismiss(problem, head, context) }
        if case .failure(let refusal) = admission { return turnDown(refusal, head, context) }
        guard length <= bodyLimit else { return refuse(.bodyTooLarge(limit: bodyLimit), head, context) }
        guard takeHead(head, context) else { return }
        if HeadRules.hasBody(head), HeadRules.awaitsContinue(head) {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state = .responding
        deadline = nil
        guard services.gate.stillKnows(caller) else { return refuse(.unauthorized, head, context) }
        if services.isUntimely(head, path) { return write(Answer(.scanning), head, context) }
        switch services.streams.plan(head, path, for: caller) {
        case nil: respond(head, context)
        case .failure(let problem)?: write(Answer(problem), head, context)
        case .success(let plan)?: open(plan, head, context)
        }
    }

    private func respond(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let ready = services.ready(head, path)
        repeated?.note(.init(head: head, path: path, route: route, caller: caller), isReady: ready != nil)
        if let ready { return write(ready, head, context) }
        if recorded != nil { shard.takeInHand(self) }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let (services, path, caller, body, bodyDebt) = (services, path, caller, body, bodyDebt)
        self.bodyDebt = nil
        dropBody()
        context.eventLoop.makeFutureWithTask {
            await services.respond(to: head, path, body: body, caller: caller)
        }.whenSuccess { answer in
            let connection = bound.value
            bodyDebt.map(services.access.bodies.pay)
            // Whoever hangs up meanwhile has done it all the same.
            guard let context = connection.context else {
                return connection.note(answer.head.status, head.method)
            }
            // What was done is answered; what was read is not for a device that was revoked meanwhile.
            guard connection.recorded != nil || services.gate.stillKnows(caller) else {
                return connection.refuse(.unauthorized, head, context)
            }
            connection.write(answer, head, context)
        }
    }

    /// The answer to a request that came before, if it may be given again, at once, on a connection that waits.
    func answerAgain(_ request: RepeatedRequest.Request) -> Answer? {
        let begun = NIODeadline.now()
        guard case .waiting = state, context?.channel.isWritable == true, !shard.isDraining,
            let answer = services.ready(request.head, request.path), !answer.closes,
            answer.body.readableBytes < ByteDebts.smallest,
            // Last, since they charge for the request.
            isStillLetIn(request), overLimit(request.caller, request.head.method, request.route) == nil
        else { return nil }
        deadline = shard.seconds + services.limits.idleSeconds
        self.begun = begun
        route = request.route
        caller = request.caller
        note(answer.head.status, request.head.method)
        return answer
    }

    /// The whole answer to a request whose connection stays open.
    func wire(of answer: Answer, to head: HTTPRequestHead) -> ByteBuffer {
        services.adapted(answer, to: head).bytes(closing: false)
    }

    /// Whoever needed nothing but to come from here still comes from here.
    private func isStillLetIn(_ known: RepeatedRequest.Request) -> Bool {
        if known.caller.access == .open, known.caller.scope != nil { return true }
        let request = request(known.head, known.path, known.route)
        guard case .success(let caller) = services.gate.admit(request) else { return false }
        return caller == known.caller
    }

    private func request(_ head: HTTPRequestHead, _ path: RequestPath, _ route: Int) -> AccessRequest {
        AccessRequest(method: head.method, path: path, route: route, headers: head.headers, peer: peer)
    }

    // MARK: Answers

    func write(_ answer: Answer, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        dropBody()
        let goesOn = head.isKeepAlive && !HeadRules.asksForUpgrade(head)
        let staysOpen = http2 == nil && goesOn && !isLast && !answer.closes
        let answer = services.adapted(owed(answer, to: head.method), to: head)
        note(answer.head.status, head.method)
        var response = answer.head
        response.version = head.version
        response.headers.replaceOrAdd(name: "content-length", value: String(answer.body.readableBytes))
        if !staysOpen, http2 == nil {
            response.headers.replaceOrAdd(name: "connection", value: "close")
        } else if head.version == .http1_0 {
            response.headers.replaceOrAdd(name: "connection", value: "keep-alive")
        }
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD, answer.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
        }
        hasServed = true
        if staysOpen, !isTakenUp(context) {
            // Until it has ended the handler in front reads nothing and hands nothing on.
            state = .delivering
            undelivered = nil
            deadline = shard.seconds + services.limits.closingSeconds
            return
        }
        finish(context, closing: !staysOpen)
    }

    /// Whether no request is taken behind the one in hand.
    var isLast: Bool { isInputClosed || shard.isDraining }

    /// Whether what waits for the client is below the channel's watermark, if need be after an attempt to send it.
    private func isTakenUp(_ context: ChannelHandlerContext) -> Bool {
        if !context.channel.isWritable { context.flush() }
        return context.channel.isWritable
    }

    /// Whether the client has taken something since this was last asked.
    private func hasProgress(_ context: ChannelHandlerContext) -> Bool {
        let waiting = context.channel.unconfirmedBytes(socket)
        defer { undelivered = waiting }
        return waiting != undelivered
    }
}
