import Yams

/// A tree of YAML, with the readings that ralph's configuration needs.
struct Settings {
    private(set) var members: [String: Any]

    /// Nothing set.
    static var empty: Settings { Settings(members: [:]) }

    private init(members: [String: Any]) { self.members = members }

    /// The mapping of a YAML text.
    init(yaml: String, of file: String) throws(StandInError) {
        do {
            members = try Yams.load(yaml: yaml) as? [String: Any] ?? [:]
        } catch {
            throw .failure("Failed to parse configuration file \(file): \(error)")
        }
    }

    /// The mapping at `key`; empty if there is none.
    func section(_ key: String) -> Settings {
        Settings(members: members[key] as? [String: Any] ?? [:])
    }

    /// The mappings in the list at `key`.
    func sections(_ key: String) -> [Settings] {
        (members[key] as? [Any] ?? []).compactMap { ($0 as? [String: Any]).map { Settings(members: $0) } }
    }

    /// A text, or a number as text.
    func text(_ key: String) -> String? {
        switch members[key] {
        case let text as String: text
        case let number as Int: String(number)
        default: nil
        }
    }

    /// The list at `key`, as texts.
    func texts(_ key: String) -> [String] {
        (members[key] as? [Any] ?? []).map { "\($0)" }
    }

    /// A whole number.
    func integer(_ key: String) -> Int? { members[key] as? Int }
    /// A truth value.
    func flag(_ key: String) -> Bool? { members[key] as? Bool }

    /// A number, whole or not.
    func seconds(_ key: String) -> Double? {
        (members[key] as? Double) ?? (members[key] as? Int).map(Double.init)
    }

    /// These settings with those of `upper` over them: mappings merge, everything else is replaced.
    func merged(with upper: Settings) -> Settings { Settings(members: Self.merge(members, upper.members)) }

    /// Only the members that `keys` names.
    func only(_ keys: [String]) -> Settings { Settings(members: members.filter { keys.contains($0.key) }) }

    /// All but the members that `keys` names.
    func without(_ keys: [String]) -> Settings {
        Settings(members: members.filter { !keys.contains($0.key) })
    }

    /// These settings below `key`.
    func below(_ key: String) -> Settings { Settings(members: [key: members]) }

    private static func merge(_ lower: [String: Any], _ upper: [String: Any]) -> [String: Any] {
        lower.merging(upper) { below, above in
            guard let below = below as? [String: Any], let above = above as? [String: Any] else {
                return above
            }
            return merge(below, above)
        }
    }
}
