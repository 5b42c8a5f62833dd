/// Which events files came into worktrees with git's checkout or Ralph's start: those that begin as the main one's does.
/// Their names alone tell nothing, since runs that begin in the same second give theirs the same (contract 1.1).
///
/// A verdict stands as long as the file begins as it did then: a moment in which the main one is empty makes no
/// session of a copy, and one in which the file itself is takes none away.
struct CheckoutCopies {
    private struct Verdict {
        /// A number for the first line.
        var line: UInt64
        var isCopy: Bool
        /// Of the file when its line was read last, at `readAt`: until it changes it is not read again.
        var status: EntryStatus?
        var readAt: Int64
        var generation: Int
    }

    /// Bytes that are compared; the first row's time is among them.
    private static let maximumBytes = 4096
    /// The same of an output, whose first line has the prompt.
    private static let maximumOutputBytes = 1 << 16

    private var verdicts: [PathKey: Verdict] = [:]
    private var generation = 0

    /// Whether the file at `path` is no session's own.
    ///
    /// - Throws: one of the two is there and cannot be read.
    mutating func isCopy(_ path: String, of original: String) throws(TailError) -> Bool {
        try isCopy(path) { own throws(TailError) in
            // An empty file is nobody's yet. An empty original is nothing to compare with, and nothing to go by later.
            guard !own.isEmpty else { return true }
            let main = try Self.firstLine(of: original)
            return main.isEmpty ? nil : own == main
        } ?? false
    }

    /// Whether the output at `path` is that of a run elsewhere than in `workspace`, as its first line says (contract 4.8).
    /// Where that tells nothing it is what it was `atFirstSight` as long as it begins so.
    ///
    /// - Throws: it is there and cannot be read.
    mutating func isCopy(
        _ path: String, in workspace: String, of main: String, atFirstSight isCopy: Bool
    ) throws(TailError) -> Bool {
        // A copy keeps its first line: another one is that of a run there.
        let isKnown = verdicts[PathKey(path)] != nil
        return try self.isCopy(path, Self.maximumOutputBytes) { own in
            guard case .string(let root)? = JSONObject(own)?.value("workspace_root") else {
                return isCopy && !isKnown
            }
            let place = root.canonicalPath ?? root
            if place.isPath(workspace) { return false }
            return place.isPath(main) || isCopy && !isKnown
        } ?? isCopy
    }

    /// - Parameter judge: decides by the first line; `nil`: it cannot. Of an empty file its word is for this time.
    private mutating func isCopy(
        _ path: String, _ maximumBytes: Int = maximumBytes, _ judge: ([UInt8]) throws(TailError) -> Bool?
    ) throws(TailError) -> Bool? {
        let key = PathKey(path)
        let (status, now) = (EntryStatus(at: path), EntryStatus.now())
        if let known = verdicts[key], let status, status == known.status,
            status.vouches(forReadAt: known.readAt)
        {
            verdicts[key]?.generation = generation
            return known.isCopy
        }
        let own = try Self.firstLine(of: path, maximumBytes)
        if var known = verdicts[key], own.isEmpty || own.fnv1a == known.line {
            (known.status, known.readAt, known.generation) = (status, now, generation)
            verdicts[key] = known
            return known.isCopy
        }
        let verdict = try judge(own)
        if let verdict, !own.isEmpty {
            verdicts[key] = Verdict(
                line: own.fnv1a, isCopy: verdict, status: status, readAt: now, generation: generation)
        }
        return verdict
    }

    /// Forgets what nobody asked for since the last call.
    mutating func sweep() {
        let oldest = generation
        verdicts = verdicts.filter { $0.value.generation >= oldest }
        generation += 1
    }

    private static func firstLine(
        of path: String, _ maximumBytes: Int = maximumBytes
    ) throws(TailError) -> [UInt8] {
        do throws(TailError) {
            return try FirstSight.firstLine(of: path, maximumBytes: maximumBytes)
        } catch {
            if case .missing = error { return [] }
            throw error
        }
    }
}
