/// How much of a library is looked at, so that no directory can cost more than this.
enum LibraryLimits {
    /// Items in one list; the rest is cut off and the answer says so.
    static let items = 5000
    /// Names looked at for one list.
    static let names = 100_000
    /// Directories looked into for one list.
    static let directories = 2000
    /// Levels of folders below `prompts/`.
    static let depth = 8
    /// Workspaces whose items are in the list of everything.
    static let workspaces = 200
    /// Directories from which a configuration may take skills.
    static let skillDirectories = 64
    /// Bytes of a file whose content is given.
    static let contentBytes = 1 << 20
    /// Bytes of a YAML text that is parsed; ours have a fiftieth of it.
    static let yamlBytes = 256 << 10
    /// Bytes of YAML parsed for one list; what is over is parsed for the next one.
    static let yamlBytesPerList = 16 << 20
    /// Bytes at the start of a prompt or a large file in which its first line is looked for.
    static let headBytes = 4096
    /// Bytes at the start of a skill in which its front matter is looked for.
    static let frontMatterBytes = 64 << 10
    /// Hats of one file, and words in one list of words.
    static let members = 256
    /// Bytes of one text that a list repeats from a file.
    static let textBytes = 2000
    /// Bytes of all texts in one list of hats or skills; the rest is cut off and the answer says so.
    static let textBytesPerList = 16 << 20
    /// Files whose facts are kept.
    static let cachedFiles = 20_000
    /// Bytes of the facts that are kept.
    static let cachedBytes = 16 << 20
    /// Lists whose bodies are kept, one per kind and workspace asked for.
    static let cachedLists = 64
    /// Bytes of these lists together.
    static let cachedListBytes = 32 << 20
    /// Directories watched.
    static let watches = 2048
}
