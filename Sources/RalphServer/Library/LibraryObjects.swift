/// The library on the wire (http-contract 5); member names are the wire's. Optional members are left out where
/// there is nothing to say.
enum LibraryObjects {
    /// A configuration or preset.
    struct Config: Encodable, Sendable {
        let path: String
        let name: String
        let description: String
        let origin: LibraryOrigin
        /// Absolute paths of the files of the same name that this one hides.
        let shadows: [String]
        let error: String?
    }

    struct Prompt: Encodable, Sendable {
        let path: String
        let name: String
        let preview: String
        let origin: LibraryOrigin
        let shadows: [String]
        let error: String?
    }

    struct Hat: Encodable, Sendable {
        let id: String
        let name: String
        let description: String
        let emoji: String
        let color: String?
        let triggers: [String]
        let publishes: [String]
        /// Names of the presets that have it.
        var presets: [String]
        let origin: LibraryOrigin
        let path: String
        var shadows: [String]
        let error: String?
    }

    struct Skill: Encodable, Sendable {
        let name: String
        let description: String
        let tags: [String]
        let hats: [String]
        let backends: [String]
        let auto_inject: Bool
        /// `built-in` or `file`.
        let source: String
        let origin: LibraryOrigin
        let path: String?
        var shadows: [String]
        /// `false` where the configuration switches it off.
        let enabled: Bool
        let error: String?
    }

    struct Configs: Encodable, Sendable {
        let configs: [Config]
        let truncated: Bool?
        /// Files found, if not all of them are listed.
        let found: Int?
    }

    struct Presets: Encodable, Sendable {
        let presets: [Config]
        let truncated: Bool?
        let found: Int?
    }

    struct Prompts: Encodable, Sendable {
        let prompts: [Prompt]
        let truncated: Bool?
        let found: Int?
    }

    struct Hats: Encodable, Sendable {
        let hats: [Hat]
        let truncated: Bool?
        let found: Int?
    }

    struct Skills: Encodable, Sendable {
        let skills: [Skill]
        let count: Int
        let truncated: Bool?
        let found: Int?
    }

    /// A file's text.
    struct Content: Encodable, Sendable {
        let path: String
        let content: String
        let content_type: String
        let mime_type: String
        let origin: LibraryOrigin
    }

    /// A skill as an agent gets it.
    struct LoadedSkill: Encodable, Sendable {
        let name: String
        let content: String
    }
}
