import RalphWire

/// What is done when the file is not what it was.
extension EventTail {
    /// Compares `file` with what is known of it, and decides where reading goes on.
    func reconcile(
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
        if let known = try earlier.takeBack(in: file, size, ages) {
            earlier.remember(farthest ?? FarthestRead(reader, generation: generation, firstLine: firstLine))
            try goOn(with: known, in: file)
            return adopt(file, isMissing ? .returned : isSameFile ? .rewritten : .replaced, consume)
        }
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
        (generation, firstLine) = (nextGeneration, found)
        let isCut = size < offset || wasShorter
        let isRest = isCut && hasSameHead && !head.isEmpty && hasSameLine
        let end = try isRest ? readEnd(of: file, size) : 0
        try goOn(behind: end, in: file, head: head)
        // Nothing came yet behind what is left.
        let mayReturn = isCut && !isOutput && size <= end && end < known.offset
        farthest = mayReturn ? known : nil
        if !mayReturn { earlier.remember(known) }
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
        guard size > reader.offset else { return }
        if earlier.mayGoOn(behind: reader.offset, head: reader.head),
            let known = try earlier.takeBack(in: file, size, behind: reader.offset, ages)
        {
            earlier.leave(generation)
            return try goOn(with: known, in: file)
        }
        guard let known = farthest else { return }
        if try known.isBack(in: file, size, ages) {
            return try goOn(with: known, in: file)
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
        earlier.remember(known)
        farthest = nil
    }

    /// One that no content has had.
    private var nextGeneration: Int { max(generation, earlier.newestGeneration) + 1 }

    /// Goes on behind what was read before of a content that is back.
    private func goOn(with known: FarthestRead, in file: OpenFile) throws(TailError) {
        (generation, firstLine, farthest) = (known.generation, known.firstLine, nil)
        try goOn(behind: known.offset, in: file, head: known.head)
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
        if kept.isEmpty { generation = nextGeneration }
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
    func noteMissing(_ consume: (TailItem) -> Void) {
        lastSeen = nil
        returning = nil
        guard identity != .none, !isMissing else { return }
        isMissing = true
        consume(.change(.deleted))
    }

    /// Gives the last line of a file that will not be read again, if it only lacks its LF.
    func giveUnfinishedLine(of file: OpenFile, _ consume: (TailItem) -> Void) throws(TailError) {
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
