/// Whether a text may become a workspace's configuration (contract 7.1). What its members say is Ralph's to judge.
package enum ConfigCheck {
    /// UTF-8 bytes; as much as we read of a configuration.
    package static let maximumBytes = 1 << 20
    private static let deprecatedKey = "project"

    /// - Throws: what is wrong, and in which line: too large, no YAML, no map, a key that is there twice, one
    ///   that Ralph refuses.
    package static func check(_ yaml: String) throws(GeneratedConfigError) {
        guard yaml.utf8.count <= maximumBytes else {
            throw GeneratedConfigError(line: nil, problem: "more than \(maximumBytes) bytes")
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
}
