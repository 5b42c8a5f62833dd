import NIOCore

/// All connections of one event loop, and their clock. Confined to its event loop.
final class ConnectionShard {
    let eventLoop: any EventLoop
    let streams: StreamShard
    /// Set once, when the server goes down: no connection is kept open any more.
    private(set) var isDraining = false
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]
    /// Those whose request is recorded and being carried out, also when their client has gone.
    private var inHand: [ObjectIdentifier: HTTPConnection] = [:]
    /// Handshakes, and connections that carry requests beside each other.
    private var others: [ObjectIdentifier: any ShardMember] = [:]
    private var clock: RepeatedTask?

    init(eventLoop: any EventLoop, streams: StreamShard) {
        self.eventLoop = eventLoop
        self.streams = streams
    }

    /// Seconds since the shard was made.
    var seconds: Int64 { streams.seconds }

    /// Starts the clock; on the event loop.
    func start() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        clock = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            bound.value.tick()
        }
    }

    func add(_ connection: HTTPConnection) {
        connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: HTTPConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    /// A request that has to be recorded is carried out; until ``letGo(of:)``.
    func takeInHand(_ connection: HTTPConnection) { inHand[ObjectIdentifier(connection)] = connection }

    /// What became of it is recorded.
    func letGo(of connection: HTTPConnection) { inHand[ObjectIdentifier(connection)] = nil }

    func add(_ member: any ShardMember) { others[ObjectIdentifier(member)] = member }

    func remove(_ member: any ShardMember) { others[ObjectIdentifier(member)] = nil }

    /// Ends the streams, telling each to come back within `spread` milliseconds, and closes what is idle.
    func drain(spread: Int) {
        isDraining = true
        streams.endAll(spread: spread)
        for connection in connections.values { connection.drain() }
        for member in others.values { member.drain() }
    }

    /// Ends what a device that may no more has open here: its streams, and answers that it is still to take.
    func end(_ device: DeviceID) {
        streams.endStreams(of: device)
        for connection in connections.values { connection.breakOff(answerTo: device) }
    }

    /// Stops the clock, and has recorded what is cut off; on the event loop, as the last thing.
    func stop() {
        streams.leaveAll()
        for connection in inHand.values { connection.cutOff() }
        clock?.cancel()
        clock = nil
    }

    private func tick() {
        streams.tick()
        for connection in connections.values { connection.tick(second: seconds) }
        for member in others.values { member.tick(second: seconds) }
    }
}
