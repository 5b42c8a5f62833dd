/// Which events files of an old Ralph came into worktrees with git's checkout: those that begin as the main one's does.
///
/// A verdict stands as long as the file begins as it did then: a moment in which the main one is empty makes no
/// session of a copy, and one in which the file itself is takes none away.
struct CheckoutCopies {
    private struct Verdict {
        var line: [UInt8]
        var isCopy: Bool
        var generation: Int
    }

    /// Bytes that are compared; the first row's time is among them.
    private static let maximumBytes = 4096

    private var verdicts: [PathKey: Verdict] = [:]
    private var generation = 0

    /// Whether the file at `path` is no session's own.
    ///
    /// - Throws: one of the two is there and cannot be read.
    mutating func isCopy(_ path: String, of original: String) throws(TailError) -> Bool {
        let own = try Self.firstLine(of: path)
        if let known = verdicts[PathKey(path)], own.isEmpty || own == known.line {
            verdicts[PathKey(path)]?.generation = generation
            return known.isCopy
        }
        // An empty file is nobody's yet, and an empty original nothing to compare with.
        guard !own.isEmpty else { return true }
        let isCopy = try own == Self.firstLine(of: original)
        verdicts[PathKey(path)] = Verdict(line: own, isCopy: isCopy, generation: generation)
        return isCopy
    }

    /// Forgets what nobody asked for since the last call.
    mutating func sweep() {
        let oldest = generation
        verdicts = verdicts.filter { $0.value.generation >= oldest }
        generation += 1
    }

    private static func firstLine(of path: String) throws(TailError) -> [UInt8] {
        do throws(TailError) {
            return try FirstSight.firstLine(of: path, maximumBytes: maximumBytes)
        } catch {
            if case .missing = error { return [] }
            throw error
        }
    }
}
