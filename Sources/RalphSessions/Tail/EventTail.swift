import Foundation
import RalphWire

/// Follows one file by its path and gives each of its lines once, whatever happens to the file.
///
/// No trigger and no waiting inside: ``readAvailable(upTo:isGrowth:_:)`` reads what is there by now. What is known
/// of the file is its numbers and its content (``TailPosition``). When they no longer agree:
///
/// | found | outcome |
/// |---|---|
/// | same bytes at the beginning and before the offset, in whatever file | goes on at the offset |
/// | the same file, of which a part was freed and reads as NULs (fallocate(2)) | goes on at the offset |
/// | the beginning of what was read, maybe a copy in the making, in another file or over the same | waits (``ReturningFile``) |
/// | shorter, same first line | goes on behind what was read, which its dates tell, new generation |
/// | the same after a wait, and longer by now | goes on behind what a copy may have brought, new generation |
/// | all that was read before it became shorter, and nothing else since | goes on behind that, generation of then |
/// | a part of that, by old lines | waits |
/// | all that was read of what stood there before (``EarlierContents``) | goes on behind that, generation of then |
/// | anything else | from its first byte, new generation |
///
/// A file that is no longer at its path is read to its end first, as long as its descriptor is held; of a copy that was
/// waited for nothing, unless somebody wrote to it since. Output of a run that became shorter is not waited for: whoever
/// starts a run with `>` empties it, and few of the new lines say when they were written.
/// For one thread.
package final class EventTail {
    /// How far a read came.
    package enum Progress: Sendable, Equatable {
        /// Everything that was there when the read began.
        case atEnd
        /// The budget was used up.
        case more
    }

    let path: String
    /// Whether its lines are those of a run's output, of which few say when they were written (contract 4.8).
    let isOutput: Bool
    /// Counts the times that the content began anew; constant while a line is given.
    var generation: Int
    /// Modification time of the file when it was last read, milliseconds since 1970.
    private(set) var fileTime: Int64 = 0
    /// When this tail read lines last, milliseconds since 1970; 0: it has not.
    var lastRead: Int64 = 0
    var identity: FileIdentity
    var isMissing: Bool
    /// See ``TailPosition/firstLine``.
    var firstLine: UInt64
    var reader: LineReader
    var lastSeen: EntryStatus?
    var returning: ReturningFile?
    /// See ``TailPosition/farthest``.
    var farthest: FarthestRead?
    /// See ``TailPosition/earlier``.
    var earlier: EarlierContents
    let pool: FilePool
    private let key: Int
    let limits: TailLimits

    /// How often content may change under one read before the rest is left to the next one.
    private static let maximumChanges = 4

    init(
        path: String, position: TailPosition = TailPosition(), isOutput: Bool = false, limits: TailLimits,
        pool: FilePool
    ) {
        self.path = path
        self.isOutput = isOutput
        self.limits = limits
        self.pool = pool
        key = pool.makeKey()
        generation = position.generation
        identity = position.identity
        isMissing = position.isMissing
        firstLine = position.firstLine
        farthest = position.farthest
        earlier = position.earlier
        reader = LineReader(
            offset: position.offset, head: position.head, tail: position.tail, limits: limits)
    }

    deinit { pool.release(key) }

    /// Gives the descriptor up; the next read opens the file at its path.
    func closeFile() {
        pool.release(key)
        lastSeen = nil
    }

    /// Which lines of its file are old.
    var ages: LineAges { LineAges(isOutput: isOutput, limits: limits, buffer: pool.buffer) }

    /// Whether what it waits for is to come in its own file, which was cut, and not in another one at the path.
    var isCutInPlace: Bool { returning?.identity == identity && !isMissing }

    /// Whether its file can be read though it is at its path no more.
    var isOpen: Bool { pool.file(key) != nil }

    /// Where a tail that is made anew goes on.
    var position: TailPosition {
        var position = TailPosition()
        position.identity = identity
        position.generation = generation
        position.offset = reader.offset
        position.head = reader.head
        position.tail = reader.tail
        position.isMissing = isMissing
        position.firstLine = firstLine
        position.farthest = farthest
        position.earlier = earlier
        return position
    }

    /// Reads what is there and gives it in order.
    ///
    /// - Parameters:
    ///   - budget: about how many bytes may be read; what was read is taken off.
    ///   - isGrowth: the file was only written to since the last read; one that is open is read as it is.
    /// - Throws: what was given before the error is consumed; the next read goes on behind it.
    func readAvailable(
        upTo budget: inout Int, isGrowth: Bool = false, _ consume: (TailItem) -> Void
    ) throws(TailError) -> Progress {
        do throws(TailError) {
            if isGrowth, !isMissing, let held = pool.file(key) {
                lastSeen = nil
                return try read(held, &budget, consume)
            }
            let found = try status()
            if let held = pool.file(key), held.identity != found.map(FileIdentity.init) {
                guard try readRest(of: held, &budget, consume) == .atEnd else { return .more }
            }
            guard let found else {
                noteMissing(consume)
                return .atEnd
            }
            guard found.kind == .file else { throw .notRegularFile(path: path) }
            if found == lastSeen, !isMissing { return .atEnd }
            let time = EntryStatus.now()
            let file = try openFile(consume)
            let progress = try read(file, &budget, consume)
            let isSettled = progress == .atEnd && found.vouches(forReadAt: time)
            lastSeen = isSettled && file.identity == FileIdentity(found) ? found : nil
            return progress
        } catch {
            // What failed once with this descriptor would go on failing. Not so one that is waited for.
            if case .returning = error {} else { pool.release(key) }
            throw error
        }
    }

    /// The status of what stands at ``path``; `nil` if nothing does.
    private func status() throws(TailError) -> EntryStatus? {
        if let status = EntryStatus(at: path) { return status }
        let code = errno
        if code == ENOENT || code == ENOTDIR { return nil }
        throw TailError(errno: code, path: path)
    }

    private func openFile(_ consume: (TailItem) -> Void) throws(TailError) -> OpenFile {
        if let file = pool.file(key) { return file }
        let file = try OpenFile(path)
        pool.keep(file, for: key)
        try reconcile(with: file, consume)
        return file
    }

    /// Reads `held`, which is at its path no more, to its end, and gives it up.
    private func readRest(
        of held: OpenFile, _ left: inout Int, _ consume: (TailItem) -> Void
    ) throws(TailError) -> Progress {
        do throws(TailError) {
            guard try read(held, isLast: true, &left, consume) == .atEnd else { return .more }
            try giveUnfinishedLine(of: held, consume)
        } catch .returning {
            // It will not be finished, and all it has was read before: the position stays for what comes in its place.
            returning = nil
        }
        pool.release(key)
        return .atEnd
    }

    /// Reads `file` to its end or until `left` is used up.
    ///
    /// - Parameter isLast: it is at its path no more.
    private func read(
        _ file: OpenFile, isLast: Bool = false, _ left: inout Int, _ consume: (TailItem) -> Void
    ) throws(TailError) -> Progress {
        let status = try file.status()
        fileTime = status.modified / 1_000_000
        // The step sees whether the bytes before the offset are the same; the first ones it does not see.
        let hasSameHead = try file.holds(reader.head, at: 0, buffer: pool.buffer)
        let mayBeBack = farthest != nil || earlier.mayGoOn(behind: reader.offset, head: reader.head)
        let hasMore = mayBeBack && status.size > reader.offset
        if status.size < reader.offset || !hasSameHead || returning != nil || hasMore {
            try reconcile(with: file, isLast: isLast, consume)
        }
        var changes = 0
        while true {
            // What comes behind a cut from now on may be what was cut off: the next read looks at it first.
            let end: Int64 = farthest == nil ? .max : reader.offset
            switch try reader.step(file, buffer: pool.buffer, end: end, consume) {
            case .changed:
                changes += 1
                guard changes <= Self.maximumChanges else { return .more }
                try reconcile(with: file, isLast: isLast, consume)
            case .read(let bytes, let isAtEnd):
                if bytes > 0 { lastRead = max(lastRead, WallClock.milliseconds()) }
                if firstLine == 0, reader.offset > 0 {
                    firstLine = try FirstSight.fingerprint(ofFirstLineIn: file)
                }
                if isAtEnd { return .atEnd }
                left -= max(bytes, 1)
                if left <= 0 { return .more }
            }
        }
    }
}
