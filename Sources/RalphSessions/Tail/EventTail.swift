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
    private let isOutput: Bool
    /// Counts the times that the content began anew; constant while a line is given.
    private(set) var generation: Int
    /// Modification time of the file when it was last read, milliseconds since 1970.
    private(set) var fileTime: Int64 = 0
    /// When this tail read lines last, milliseconds since 1970; 0: it has not.
    private var lastRead: Int64 = 0
    private var identity: FileIdentity
    private var isMissing: Bool
    /// See ``TailPosition/firstLine``.
    private var firstLine: UInt64
    private var reader: LineReader
    private var lastSeen: EntryStatus?
    private var returning: ReturningFile?
    /// See ``TailPosition/farthest``.
    private var farthest: FarthestRead?
    private let pool: FilePool
    private let key: Int
    private let limits: TailLimits

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
    private var ages: LineAges { LineAges(isOutput: isOutput, limits: limits, buffer: pool.buffer) }

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
        let hasMore = farthest != nil && status.size > reader.offset
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

// MARK: - When the file is not what it was

extension EventTail {
    /// Compares `file` with what is known of it, and decides where reading goes on.
    private func reconcile(
        with file: OpenFile, isLast: Bool = false, _ consume: (TailItem) -> Void
    ) throws(TailError) {
        let size = try file.status().size
        let offset = reader.offset
        let head = try file.bytes(at: 0, count: reader.head.count)
        // Of a file that is shorter than its fingerprint, only whole lines are proof.
        let isProof = head.count == reader.head.count || head.last == LineText.lineFeed
        let hasSameHead = isProof && reader.head.starts(with: head)
        let count = reader.tail.count
        if size >= offset, hasSameHead,
            try file.bytes(at: offset - Int64(count), count: count) == reader.tail
        {
            try passCut(in: file, size, isLast: isLast)
            adopt(file, isMissing ? .returned : nil, consume)
            return
        }
        if size >= offset, try passHole(in: file, head: head, consume) { return }
        try takeUp(file, size, head: head, hasSameHead: hasSameHead, isLast: isLast, consume)
    }

    /// Goes on in `file`, which begins with `head` and of which the first `size` bytes are not what was read, or not all.
    private func takeUp(
        _ file: OpenFile, _ size: Int64, head: [UInt8], hasSameHead: Bool, isLast: Bool,
        _ consume: (TailItem) -> Void
    ) throws(TailError) {
        let offset = reader.offset
        let isSameFile = file.identity == identity
        // It was shorter when it was seen last, and a run may have written more to it since than was cut off.
        let wasShorter = isSameFile && !isOutput && returning?.identity == identity
        let isBeginning = size < offset && reader.head.starts(with: head)
        let found = isBeginning || wasShorter ? try FirstSight.fingerprint(ofFirstLineIn: file) : 0
        // Many files begin with the same words, as output of runs with one prompt does; the whole line says when it was
        // written. Where there is none to compare, it is the same file or another one.
        let isUnknownLine = firstLine == 0 || found == 0
        if isBeginning, isMissing || !isSameFile || !isOutput, isUnknownLine || found == firstLine {
            try waitForRest(of: file, size, isLast: isLast)
        }
        let hasSameLine = isUnknownLine ? isSameFile : found == firstLine
        let known = farthest ?? FarthestRead(reader, generation: generation, firstLine: firstLine)
        (generation, firstLine) = (generation + 1, found)
        let isCut = size < offset || wasShorter
        let isRest = isCut && hasSameHead && !head.isEmpty && hasSameLine
        let end = try isRest ? readEnd(of: file, size) : 0
        try goOn(behind: end, in: file, head: head)
        // Nothing came yet behind what is left.
        let mayReturn = isCut && !isOutput && size <= end && end < known.offset
        farthest = mayReturn ? known : nil
        let isShorter = isRest || isCut && isSameFile
        let change = isShorter ? TailChange.truncated : isSameFile ? .rewritten : .replaced
        adopt(file, isMissing ? .returned : change, consume)
    }

    /// Takes up what of `file`, which was cut and has `size` bytes by now, is back: all that was read before, a part, which
    /// is waited for, or other lines, which are to be read.
    ///
    /// Of a file that is at its path no more (`isLast`) and was not seen since it grew, the part is read: it may be rows of a
    /// run, and a copy that is told twice does less harm than rows that never are.
    private func passCut(in file: OpenFile, _ size: Int64, isLast: Bool) throws(TailError) {
        guard let known = farthest, size > reader.offset else { return }
        if try known.isBack(in: file, size, ages) {
            (generation, firstLine) = (known.generation, known.firstLine)
            try goOn(behind: known.offset, in: file, head: known.head)
        } else if size < known.offset, !isLast || returning?.identity == file.identity,
            try known.isBegun(in: file)
        {
            var copy = ReturningFile(file.identity, size: size)
            if let returning, returning.identity == file.identity { copy = returning }
            copy.note(size)
            defer { returning = copy }
            let isMade = copy.rests(limits) || copy.isLate(after: limits.longestCopy)
            if !isMade, try ages.endsOld(file, size, copy.newestOld) { throw .returning(path: path) }
        }
        farthest = nil
    }

    /// - Throws: ``TailError/returning(path:)`` as long as `file`, which has `size` bytes by now, is waited for.
    private func waitForRest(of file: OpenFile, _ size: Int64, isLast: Bool) throws(TailError) {
        var seen = returning?.identity == file.identity ? returning : nil
        if seen == nil { seen = ReturningFile(file.identity, size: size) }
        defer { returning = seen }
        if try isWaitedFor(&seen, file, size, isLast: isLast) { throw .returning(path: path) }
    }

    /// Lets reading go on at `end` of a file that begins with `head`.
    private func goOn(behind end: Int64, in file: OpenFile, head: [UInt8]) throws(TailError) {
        let count = min(end, Int64(TailPosition.fingerprintBytes))
        let tail = try file.bytes(at: end - count, count: Int(count))
        reader = LineReader(offset: end, head: Array(head.prefix(Int(count))), tail: tail, limits: limits)
    }

    /// Whether to go on waiting for `file`, which has `size` bytes by now and was seen as `seen` before; of one that is at
    /// its path no more (`isLast`), whether nothing is in it but what was waited for.
    private func isWaitedFor(
        _ seen: inout ReturningFile?, _ file: OpenFile, _ size: Int64, isLast: Bool
    ) throws(TailError) -> Bool {
        guard var copy = seen else { return false }
        copy.note(size)
        defer { seen = copy }
        if isLast { return try !hasNewLine(file, size, copy) }
        guard !copy.rests(limits) else { return false }
        // Over the same file a copy is soon made, and a run whose file was cut goes on in it.
        let isOver = file.identity == identity && !isMissing
        guard copy.isLate(after: isOver ? limits.copyRest : limits.copyDuration) else { return true }
        // Rows of a run that goes on in it are dated later; those that a wrong clock dates are told in the end.
        let isOld = try isOutput ? !hasNewLine(file, size, copy) : ages.endsOld(file, size, copy.newestOld)
        return isOld && !copy.isLate(after: limits.longestCopy)
    }

    /// Whether `file` has a line by `size` that no copy brings back: dated since all was read, or come and dated since `copy`.
    private func hasNewLine(
        _ file: OpenFile, _ size: Int64, _ copy: ReturningFile
    ) throws(TailError) -> Bool {
        if try ages.oldEnd(of: file, size, lastRead) != nil { return true }
        guard copy.firstSize < size else { return false }
        return try ages.oldLines(of: file, behind: copy.firstSize, to: size, copy.newestOld).isNew
    }

    /// Up to where a file that is the beginning of what was read counts as read.
    private func readEnd(of file: OpenFile, _ size: Int64) throws(TailError) -> Int64 {
        let copy = returning?.identity == file.identity ? returning : nil
        let known = min(copy?.firstSize ?? size, size)
        // What is dated behind all that was read was not.
        if let end = try ages.oldEnd(of: file, known, lastRead) { return end }
        guard let copy, known < size else { return size }
        let (end, isNew) = try ages.oldLines(of: file, behind: known, to: size, copy.newestOld)
        // What a run adds right behind a cut may be on one line with what was left of another; of a first line that is not
        // finished nobody knows that it is such a one.
        let isCut = isNew && file.identity == identity && firstLine != 0
        return isCut ? max(end, known) : end
    }

    /// Goes on in a file of which a part was freed, if that is what its first bytes, `head`, and those before
    /// the offset say.
    ///
    /// A hole that reaches up to the offset may have taken unread lines with it, which counts as a truncation.
    private func passHole(
        in file: OpenFile, head: [UInt8], _ consume: (TailItem) -> Void
    ) throws(TailError) -> Bool {
        let isFreed = head.count == reader.head.count && head.allSatisfy { $0 == 0 }
        guard file.identity == identity, !head.isEmpty, isFreed || head == reader.head else { return false }
        let count = reader.tail.count
        let tail = try file.bytes(at: reader.offset - Int64(count), count: count)
        let kept = tail.drop { $0 == 0 }
        guard isFreed || kept.count < count, reader.tail.suffix(kept.count).elementsEqual(kept) else {
            return false
        }
        reader = LineReader(offset: reader.offset, head: head, tail: tail, limits: limits)
        if kept.isEmpty { generation += 1 }
        if isFreed { firstLine = 0 }
        farthest = nil
        adopt(file, isMissing ? .returned : kept.isEmpty ? .truncated : nil, consume)
        return true
    }

    private func adopt(_ file: OpenFile, _ change: TailChange?, _ consume: (TailItem) -> Void) {
        identity = file.identity
        isMissing = false
        lastSeen = nil
        returning = nil
        if let change { consume(.change(change)) }
    }

    /// Says once that a file that had been seen is gone.
    private func noteMissing(_ consume: (TailItem) -> Void) {
        lastSeen = nil
        returning = nil
        guard identity != .none, !isMissing else { return }
        isMissing = true
        consume(.change(.deleted))
    }

    /// Gives the last line of a file that will not be read again, if it only lacks its LF.
    private func giveUnfinishedLine(of file: OpenFile, _ consume: (TailItem) -> Void) throws(TailError) {
        let (bytes, offset, length) = try reader.unfinishedLine(of: file)
        bytes.withUnsafeBytes { line in
            if LineText.isBlank(line), Int64(line.count) == length { return }
            if Int64(line.count) == length, LineText.isWholeObjects(line) {
                consume(.line(line, offset: offset))
                reader.consumeUnfinished(bytes, through: offset + length)
            } else {
                consume(.lostLine(bytes: length, offset: offset))
            }
        }
    }
}
