/// What a file that something is read from is, whatever path it has: what of it must still be given.
final class ModelFile {
    /// The last line has no LF yet.
    enum Unfinished {
        case none
        /// The rest of its text is missing.
        case torn(number: Int, rest: String)
        /// Only the LF is missing.
        case whole(number: Int)
    }

    var due: [Int] = []
    var unfinished = Unfinished.none

    /// All that is due now; `isLast`: nothing more will be read of this file.
    func give(isLast: Bool) -> [Int] {
        defer { due = [] }
        guard isLast, case .whole(let number) = unfinished, number >= 0 else { return due }
        unfinished = .whole(number: -1)
        return due + [number]
    }

    func empty() {
        due = []
        unfinished = .none
    }
}

/// One path and what a tail of it can know.
struct ModelPath {
    /// What stands there.
    var file: ModelFile?
    /// What the tail has open.
    var held: ModelFile?
    /// What was moved away and may come back.
    var away: ModelFile?
    /// A read came by while something stood there. What never did is archive to a tail that begins later.
    var wasSeen = false
    /// What stands there is a copy of what the tail has open.
    var isCopy = false

    /// Another file comes to stand there; what was away would be a third one and all new if it came back.
    mutating func begin(_ file: ModelFile) {
        self.file = file
        away = nil
    }

    /// What a read of the path must give.
    mutating func give() -> [Int] {
        var numbers: [Int] = []
        if let held, hangsOnDescriptor { numbers += held.give(isLast: true) }
        if let file { numbers += file.give(isLast: false) }
        if file != nil { wasSeen = true }
        held = file
        isCopy = false
        return numbers
    }

    /// Whether something can be read that is lost with the tail's descriptors.
    var hangsOnDescriptor: Bool { held != nil && (held !== file || isCopy) }
}
