import RalphSessions
import Yams

/// What lists say of one YAML file: a configuration, a preset or a file of hats.
struct ConfigFacts: Sendable, Equatable {
    var description = ""
    /// Why the file cannot be used; `nil`: it can, as far as its form goes.
    var error: YAMLProblem?
    var hats: [HatFacts] = []
    /// The hat that the whole file is, if it has no map of hats; its id is the file's name, so not known here.
    var single: HatFacts?
    /// Whether the file has more hats than that, or may have, see ``isUnread``.
    var areHatsCut = false
    var skills = SkillSettings()
    /// Whether the file is too large to be looked into, but not to be used.
    var isUnread = false
    /// The files that hats import by their absolute paths, as they were before they were read.
    var imports: [String: EntryStatus?] = [:]
    /// What they lie below.
    var directory = ""

    init(error: YAMLProblem) { self.error = error }

    /// - Parameter resolve: puts in what a hat imports.
    init(_ bytes: [UInt8], _ resolve: HatFacts.Resolve = { $0.hat }) {
        guard let text = LibraryText.decode(bytes) else {
            error = .notText
            return
        }
        description = LibraryText.comment(text)
        do {
            try read(text, resolve)
        } catch {
            self.error = error
        }
    }

    /// Of a file that is too large to be parsed, by its beginning.
    ///
    /// - Parameter size: that of the whole file, in bytes.
    init(head bytes: [UInt8], size: Int64) {
        description = LibraryText.decode(bytes, isCut: true).map(LibraryText.comment) ?? ""
        isUnread = true
        areHatsCut = true
        if size > Int64(LibraryLimits.contentBytes) { error = .longer(than: LibraryLimits.contentBytes) }
    }

    private mutating func read(_ text: String, _ resolve: HatFacts.Resolve) throws(YAMLProblem) {
        guard let root = try BoundedYAML.compose(text, maximumBytes: LibraryLimits.yamlBytes) else { return }
        if root.null != nil { return }
        guard root.mapping != nil else { throw .notMap }
        hats = HatFacts.list(root["hats"], resolve)
        areHatsCut = root["hats"]?.mapping.map { $0.count > LibraryLimits.members } ?? false
        if root["hats"] == nil, root["triggers"] != nil || root["instructions"] != nil {
            single = HatFacts(id: "", root)
        }
        skills = SkillSettings(root["skills"])
    }

    /// Whether what a file in `directory` imports is what was read; one file may have several names.
    func isCurrent(in directory: String) -> Bool {
        imports.isEmpty
            || directory == self.directory
                && imports.allSatisfy { EntryStatus(behindLinks: $0.key) == $0.value }
    }

    /// Bytes in memory, about.
    var cost: Int {
        300 + description.utf8.count + hats.reduce(single?.cost ?? 0) { $0 + $1.cost } + skills.cost
            + imports.count * 300
    }
}
