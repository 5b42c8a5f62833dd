/// Events files that get another name, or a second one (rename(2), link(2)): what was read of them stays read.
extension SessionTail {
    /// Whether this very file is followed, under whatever name.
    func isFollowed(_ status: EntryStatus) -> Bool {
        tails.values.contains { $0.position.identity == status.identity }
    }

    /// Where the followed file goes on that stands at the path of `source` now; it is let go under its old name.
    ///
    /// - Returns: `nil` if it is none of the followed ones: the number of a file that is gone may be given again
    ///   (inode(7)), so that what was read must be there as well.
    func leave(movedTo source: TailSource) throws(TailError) -> TailPosition? {
        guard !source.isAgentOutput, let status = EntryStatus(at: source.path), status.kind == .file,
            let (key, tail) = tails.first(where: { key, tail in
                key != source.key && sources[key]?.isAgentOutput == false
                    && tail.position.identity == status.identity
            })
        else { return nil }
        var position = tail.position
        guard position.offset > 0, try OpenFile(source.path).shows(position, pool.buffer) else {
            // Whatever it holds is told under the new name, and not by a descriptor from before as well.
            tail.closeFile()
            return nil
        }
        // Lines that have numbers under the old name have none under this one: as of a file whose content began anew,
        // none of it counts as older than the session's first sight.
        position.generation += 1
        position.isMissing = false
        narrator.noteMove(of: key, to: source.key, generation: position.generation)
        tails[key] = nil
        sources[key] = nil
        leftOver.remove(key)
        forgotten.insert(key)
        if current?.key == key { current = source }
        return position
    }
}

extension OpenFile {
    /// Whether what `position` knows of a file is where it was.
    fileprivate func shows(_ position: TailPosition, _ buffer: ReadBuffer) throws(TailError) -> Bool {
        let start = position.offset - Int64(position.tail.count)
        guard try holds(position.head, at: 0, buffer: buffer) else { return false }
        return try holds(position.tail, at: start, buffer: buffer)
    }
}
