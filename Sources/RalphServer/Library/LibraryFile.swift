import RalphSessions

/// One regular file of the library.
struct LibraryFile: Sendable {
    /// A name in a folder; not looked at yet.
    struct Candidate: Sendable {
        /// What a start finds it by, unless it is hidden: its path below its folder without the ending.
        let name: String
        /// Relative to its place's base, with `/`.
        let path: String
        /// Absolute.
        let file: String
        let place: LibraryPlace
    }

    let name: String
    let path: String
    let file: String
    let place: LibraryPlace
    /// Of what a link leads to, too.
    let status: EntryStatus

    /// What it was found as.
    var candidate: Candidate { Candidate(name: name, path: path, file: file, place: place) }

    /// `nil`: it is no regular file, or a link that leads out of its place.
    init?(_ candidate: Candidate) {
        guard var status = EntryStatus(at: candidate.file) else { return nil }
        if status.kind == .link {
            guard let real = candidate.file.canonicalPath,
                candidate.place.allows(real, as: candidate.file, .file), let target = EntryStatus(at: real)
            else { return nil }
            status = target
        }
        guard status.kind == .file else { return nil }
        self.status = status
        (name, path) = (candidate.name, candidate.path)
        (file, place) = (candidate.file, candidate.place)
    }
}
