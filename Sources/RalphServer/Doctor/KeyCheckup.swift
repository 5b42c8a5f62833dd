import Foundation
import RalphSessions
import RalphWire

/// Whether a key is asked for, where it comes from, and whether it is good enough. Never shows it.
struct KeyCheckup: FileCheckup {
    /// Characters of a key below which it could be guessed.
    static let goodLength = 24
    /// Different characters below which it looks typed and not drawn.
    static let goodVariety = 8

    let subject = "key"
    let configuration: ServerConfiguration
    let source: KeySource
    let state: StateDirectory

    func look() -> [Finding] {
        let queryKey = configuration.allowsQueryKey ? [Self.queryKey] : []
        // What is wrong with the file is told by the settings.
        if case .file = source, configuration.apiKey == nil { return queryKey }
        let minted = BoundedFile.read(state.keyFile, maximumBytes: 4096).map {
            StateDirectory.key(in: String(decoding: $0, as: UTF8.self))
        }
        return [
            Self.judge(
                source: source, key: configuration.apiKey, minted: minted,
                isLoopback: configuration.isLoopback, isOpenToAll: configuration.isOpenToAll)
        ] + queryKey
    }

    /// What a key, or none, is worth.
    static func judge(
        source: KeySource, key: String?, minted: String?, isLoopback: Bool, isOpenToAll: Bool
    ) -> Finding {
        if isOpenToAll {
            return .warn(
                "key", "nobody is asked for one (--no-auth)",
                "Whoever reaches the address can start programs here. Take --no-auth away.")
        }
        switch source {
        case .variable: return strength(of: key ?? "", "from RALPH_API_KEY")
        case .file: return strength(of: key ?? "", "from the file of --api-key-file")
        case .none: break
        }
        if isLoopback {
            return .ok("key", "none: requests of this machine need none, and others do not reach it")
        }
        guard let minted, minted.utf8.count >= 32 else {
            return .ok("key", "none yet: one of 256 bits is made, stored, and shown at the start")
        }
        return strength(of: minted, "minted before, in the state directory")
    }

    private static func strength(of key: String, _ origin: String) -> Finding {
        let facts = "\(origin), \(key.count) characters"
        guard key.count >= goodLength, Set(key).count >= goodVariety else {
            return .warn(
                "key", facts + ": too few to keep guessers out",
                "Take 32 random ones: head -c 24 /dev/urandom | base64")
        }
        return .ok("key", facts)
    }

    private static let queryKey = Finding.warn(
        "key", "it may come in ?api_key= too (--allow-query-key)",
        "It stays in logs and histories then. Take the flag away when no client needs it any more.")
}
