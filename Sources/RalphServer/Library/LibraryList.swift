/// The lists of the library.
enum LibraryList: String, Hashable, Sendable {
    case configs, presets, prompts, hats, skills

    /// The path of the route that gives it.
    var path: String { "/api/" + rawValue }

    /// `nil`: another route's path.
    init?(path: Substring) {
        guard path.hasPrefix("/api/") else { return nil }
        self.init(rawValue: String(path.dropFirst("/api/".count)))
    }
}
