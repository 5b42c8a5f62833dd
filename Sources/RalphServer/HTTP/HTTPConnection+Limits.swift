import NIOCore
import NIOHTTP1
import RalphWire

/// Requests that are too many, and wrong keys.
extension HTTPConnection {
    /// Charges a request to whom it comes from; gives the answer if there were too many, or if it is a command whose
    /// answer could not be kept: what was done is answered, so it must not be done then.
    func overLimit(_ caller: Caller, _ method: HTTPMethod, _ route: Int) -> Problem? {
        if caller.isUnlimited { return nil }
        let (network, isCommand) = (network(of: caller), services.gate.isCommand(method, route: route))
        let refusal = services.access.requests.refusal(
            of: caller, at: network, isCommand: isCommand, at: UptimeClock.nanoseconds())
        guard refusal == nil, isCommand else { return refusal }
        return services.access.answers.refusal(of: caller, at: network)
    }

    /// The answer as it is to wait for the client; another one where too much does. That to a command always waits.
    func owed(_ answer: Answer, to method: HTTPMethod) -> Answer {
        pay()
        guard method != .HEAD else { return answer }
        do throws(Problem) {
            debt = try services.access.answers.owe(
                answer.body.readableBytes, caller, at: network(of: caller), isOneOfMany: http2 != nil,
                isRefusable: !services.gate.isCommand(method, route: route))
            return answer
        } catch {
            return Answer(error)
        }
    }

    /// The client has taken its answer, or never will.
    func pay() {
        debt.map(services.access.answers.pay)
        debt = nil
    }

    /// Where limits count `caller`.
    func network(of caller: Caller) -> PeerNetwork {
        // Parsed once for a connection, unless a proxy passes on others.
        caller.peer == peer.text ? peer.network : PeerNetwork(caller.peer)
    }

    /// Answers a request without having looked at it: its body is read and dropped, and the connection stays.
    ///
    /// A client that waits to send its body, or sends a long one, is told at once, which ends the connection. So is one over
    /// HTTP/2, whose connection stays; it could leave many heads lying here.
    func dismiss(_ problem: Problem, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let length = HeadRules.length(of: head) ?? 0
        guard http2 == nil, length <= HTTPLimits.maximumDroppedBytes, !HeadRules.awaitsContinue(head) else {
            return refuse(problem, head, context)
        }
        state = .dropping(head, problem, length: 0)
    }

    /// Drops a part of the body of a dismissed request.
    func drop(
        _ part: ByteBuffer, _ head: HTTPRequestHead, _ problem: Problem, _ length: Int,
        _ context: ChannelHandlerContext
    ) {
        let length = length + part.readableBytes
        guard length <= HTTPLimits.maximumDroppedBytes else { return refuse(problem, head, context) }
        state = .dropping(head, problem, length: length)
    }

    /// Refuses a request, after a while if that is called for. Nothing is read meanwhile.
    func turnDown(_ refusal: Refusal, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard refusal.delay > .zero else { return refuse(refusal.problem, head, context) }
        // A channel that does not take this is closing.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        deadline = nil
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let seconds = refusal.delay.components.seconds
        let answer = context.eventLoop.scheduleTask(in: .seconds(seconds)) {
            guard case .held = bound.value.state, let context = bound.value.context else { return }
            bound.value.refuse(refusal.problem, head, context)
        }
        state = .held(answer, HTTPResponseStatus(statusCode: refusal.problem.status), head.method)
    }

    /// Counts what is read for the request in hand, framing and all: extensions of chunks are part of no body and
    /// no head, and must not go on for ever either.
    func noteRead(_ bytes: Int) {
        readBytes += bytes
        switch state {
        case .receiving(let head): check(readBytes - body.readableBytes, head)
        case .dropping(let head, _, let length): check(readBytes - length, head)
        default: break
        }
    }

    private func check(_ framing: Int, _ head: HTTPRequestHead) {
        guard framing > HTTPLimits.maximumFramingBytes, let context else { return }
        refuse(.bodyTooLarge(limit: services.limits.maximumBodyBytes), head, context)
    }

    /// Answers a request whose rest is not wanted, and closes.
    func refuse(_ problem: Problem, _ head: HTTPRequestHead?, _ context: ChannelHandlerContext) {
        switch state {
        case .closing, .discarding: return
        case .held(let answer, let status, let method) where head == nil:
            // It has been refused, which is not to be told early because no request follows.
            answer.cancel()
            note(status, method)
            state = .closing
            return context.close(promise: nil)
        case .waiting, .receiving, .dropping, .held, .responding, .delivering: break
        }
        isCutShort = isIncomplete(head)
        var answer = Answer(problem)
        answer.closes = true
        if let head { return write(answer, head, context) }
        guard http2 == nil else { return context.close(promise: nil) }
        if let head = headInHand {
            answer = services.adapted(answer, to: head)
            note(answer.head.status, head.method)
        } else {
            services.figures.note(
                route: services.figures.unmatchedRoute, method: nil, status: UInt(problem.status),
                nanoseconds: 0)
        }
        close(context, behind: answer.bytes(closing: true))
    }

    /// The head of a request whose body is not there yet.
    private var headInHand: HTTPRequestHead? {
        switch state {
        case .receiving(let head), .dropping(let head, _, _): head
        case .waiting, .held, .responding, .delivering, .closing, .discarding: nil
        }
    }
}
