/// What a run has changed in its workspace. Member names are the wire's.
struct DiffObject: Encodable, Sendable {
    /// Where the base comes from. Raw values are the wire's.
    enum BaseKind: String, Encodable, Sendable {
        /// The last commit before the run began.
        case runStart = "run_start"
        /// Where the worktree's branch left the main one.
        case mergeBase = "merge_base"
        /// What is checked out, as the start is not known.
        case head
        /// The repository is younger than the run: everything is new.
        case empty
    }

    var repository = false
    var branch: String?
    var head: String?
    var base: String?
    var baseKind: BaseKind?
    var files: [ChangedFile] = []
    /// Whether ``files`` is not all.
    var truncated = false
    /// `nil`: not asked for.
    var patch: String?
    var isPatchCut = false

    private enum CodingKeys: String, CodingKey {
        case repository, branch, head, base, base_kind, files, truncated, patch, patch_truncated
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(repository, forKey: .repository)
        try container.encode(branch, forKey: .branch)  // null, not absent
        try container.encode(head, forKey: .head)
        try container.encode(base, forKey: .base)
        try container.encode(baseKind, forKey: .base_kind)
        try container.encode(files, forKey: .files)
        try container.encode(truncated, forKey: .truncated)
        guard let patch else { return }
        try container.encode(patch, forKey: .patch)
        try container.encode(isPatchCut, forKey: .patch_truncated)
    }
}
