/// What stood at a file's path before its content of now, and how far it was read: another file may take a file's place for a
/// while, as where a workspace is moved away and back, and what was read of it is not told again then.
package struct EarlierContents: Sendable, Hashable {
    /// The most that are known, the newest ones.
    package static let capacity = 4

    /// The one that was left last is the last one.
    package private(set) var contents: [FarthestRead] = []

    /// The newest generation that was left, be it known still or not; 0: none was.
    package private(set) var newestGeneration = 0

    package init(_ contents: [FarthestRead] = [], newestGeneration: Int = 0) {
        self.contents = contents.suffix(Self.capacity)
        self.newestGeneration = newestGeneration
    }

    /// Notes that a generation is left of which lines were given: no other content may have it.
    mutating func leave(_ generation: Int) { newestGeneration = max(newestGeneration, generation) }

    /// Notes what was read of a content that another one takes the place of.
    mutating func remember(_ content: FarthestRead) {
        guard content.offset > 0 else { return }
        leave(content.generation)
        contents.removeAll { $0.generation == content.generation }
        contents = (contents + [content]).suffix(Self.capacity)
    }

    /// Whether one of them goes on behind `offset` and may begin with `head`, as one does that is not read to its end yet.
    func mayGoOn(behind offset: Int64, head: [UInt8]) -> Bool {
        contents.contains { $0.offset > offset && $0.head.starts(with: head) }
    }

    /// Takes out the one of which most was read among those that are in the first `size` bytes of `file` as a whole, and were
    /// read farther than `offset`; `nil`: there is none.
    mutating func takeBack(
        in file: OpenFile, _ size: Int64, behind offset: Int64 = 0, _ ages: LineAges
    ) throws(TailError) -> FarthestRead? {
        for content in contents.sorted(by: { $0.offset > $1.offset }) where content.offset > offset {
            guard try content.isBack(in: file, size, ages) else { continue }
            contents.removeAll { $0 == content }
            return content
        }
        return nil
    }
}
