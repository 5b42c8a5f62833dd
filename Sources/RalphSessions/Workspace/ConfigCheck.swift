import Foundation

/// Whether a text may become a workspace's configuration (contract 7.1). What its members say is Ralph's to judge.
package enum ConfigCheck {
    /// UTF-8 bytes; as much as we read of a configuration.
    package static let maximumBytes = 1 << 20
    /// How large aliases of aliases may make a configuration at worst, in bytes.
    private static let maximumGrown = 64.0 * 1024 * 1024
    private static let deprecatedKey = "project"

    /// - Throws: what is wrong, and in which line: too large, no YAML, no map, a key that is there twice, one
    ///   that Ralph refuses.
    package static func check(_ yaml: String) throws(GeneratedConfigError) {
        guard yaml.utf8.count <= maximumBytes else {
            throw GeneratedConfigError(line: nil, problem: "more than \(maximumBytes) bytes")
        }
        let aliases = aliasCount(yaml)
        // The worst that n aliases can do is n/3 levels of three each.
        guard Double(yaml.utf8.count) * pow(3, Double(aliases) / 3) <= maximumGrown else {
            throw GeneratedConfigError(line: nil, problem: "\(aliases) aliases are too many")
        }
        guard let root = try ConfigTree.document(yaml), !ConfigTree.isNull(root) else {
            throw GeneratedConfigError(line: nil, problem: "the document is empty")
        }
        let pairs = try ConfigTree.pairs(of: root, nil)
        guard ConfigTree.value(deprecatedKey, in: pairs) == nil else {
            throw GeneratedConfigError(
                line: nil, problem: "the key '\(deprecatedKey)' is no longer taken by Ralph; use 'core'")
        }
    }

    /// How many aliases of anchors the text may hold: those in texts are counted too.
    private static func aliasCount(_ yaml: String) -> Int {
        let bytes = Array(yaml.utf8)
        let anchors = Set(names(UInt8(ascii: "&"), bytes))
        return anchors.isEmpty ? 0 : names(UInt8(ascii: "*"), bytes).count { anchors.contains($0) }
    }

    /// The names behind `mark`, where a value can begin.
    private static func names(_ mark: UInt8, _ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var names: [ArraySlice<UInt8>] = []
        for (index, byte) in bytes.enumerated() where byte == mark {
            if index > 0, isPart(bytes[index - 1]) { continue }
            let name = bytes[(index + 1)...].prefix(while: isPart)
            if !name.isEmpty { names.append(name) }
        }
        return names
    }

    /// Whether a byte can be part of an anchor's name, as libyaml takes it.
    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
