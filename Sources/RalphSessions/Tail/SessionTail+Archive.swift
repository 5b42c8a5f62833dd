// What is known of files of the archive, should one be pointed to or written to.
extension SessionTail {
    /// The size of `source`, which is archive when the session is first seen; of the newest of `all`, which are by age, the
    /// fingerprints are added to `marks`. Older ones are many, and reading them would keep other sessions waiting.
    func firstSight(of source: TailSource, in all: [TailSource], _ marks: inout [String: Int64]) -> Int64 {
        guard all.suffix(limits.watchedFiles).contains(source) else {
            return EntryStatus(at: source.path)?.size ?? 0
        }
        do throws(TailError) {
            let (size, found) = try FirstSight.marks(of: source.path)
            found.add(to: &marks, of: source.key)
            return size
        } catch {
            // Nothing reads it now. Should something, it says why it cannot, or begins behind the size alone.
            return EntryStatus(at: source.path)?.size ?? 0
        }
    }

    /// Has stored what those of `sources` have that nothing is known of, as they had nothing at first sight or came later, so
    /// that what is written to them from now on is told, over restarts too.
    func noteLatecomers(_ sources: [TailSource], _ pass: inout ReadPass) {
        // Of what was put aside nothing is ever told.
        let unknown = sources.filter {
            !$0.isPutAside && FirstSight.Latecomer(of: $0.key, in: firstSizes) == nil
        }
        guard !unknown.isEmpty else { return }
        var sizes = firstSizes
        for source in unknown { FirstSight.Latecomer(at: source.path).add(to: &sizes, of: source.key) }
        storeSizes(sizes, &pass)
    }

    /// Ends the archive in `source`, which was met as `late`, before the first line that was written since, and has that
    /// stored.
    ///
    /// - Returns: `false` if there is no such line: what came was copied.
    func endArchive(of source: TailSource, _ late: FirstSight.Latecomer, _ pass: inout ReadPass) -> Bool {
        do throws(TailError) {
            let file = try OpenFile(source.path)
            let size = try file.status().size
            guard let end = try archiveEnd(of: file, size, late) else {
                lateSizes[source.key] = size
                return false
            }
            lateSizes[source.key] = nil
            archive?[source.key] = end
            if end > 0 { storeSizes(firstSizes.merging([source.key: end]) { $1 }, &pass) }
            return true
        } catch {
            pass.note(error, of: source)
            return false
        }
    }

    /// Before which of the first `size` bytes of `file` the archive in it ends; `nil`: all of them belong to it.
    private func archiveEnd(
        of file: OpenFile, _ size: Int64, _ late: FirstSight.Latecomer
    ) throws(TailError) -> Int64? {
        let ages = LineAges(isOutput: false, limits: limits, buffer: pool.buffer)
        guard size > late.size, try !ages.endsOld(file, size, late.newestOld) else { return nil }
        let (end, isNew) = try ages.oldLines(of: file, behind: late.size, to: size, late.newestOld)
        return isNew ? end : nil
    }

    /// Has stored that nothing of `source` lies before its first sight: it is read from its first byte.
    func forgetFirstSight(of source: TailSource, _ pass: inout ReadPass) {
        guard firstSizes[source.key] != nil else { return }
        var sizes = firstSizes
        sizes[source.key] = nil
        FirstSight.Marks().add(to: &sizes, of: source.key)
        storeSizes(sizes, &pass)
    }

    /// Whether `source`, which has less than when the session was first seen, may get it back soon.
    func isWaitedFor(_ source: TailSource) -> Bool {
        guard let status = EntryStatus(at: source.path) else { return false }
        var seen = returning[source.key]
        if seen?.identity != status.identity { seen = nil }
        var file = seen ?? ReturningFile(status.identity, size: status.size)
        defer { returning[source.key] = file }
        return file.isWaitedFor(at: status.size, limits)
    }
}
