/// What is checked out in a repository, and how its files are written.
package struct GitHead: Sendable, Equatable {
    /// `nil`: none, a commit is checked out.
    package var branch: String?
    /// A whole object name; `nil` before the first commit.
    package var commit: String?
    /// `core.*` values that only change how files are compared.
    package var settings: [String: String] = [:]

    /// What diffs are made against where there is no commit.
    package static let emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    /// The same in a repository with SHA-256 names.
    package static let emptyTree256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"

    /// Whether the repository's names are SHA-256.
    var isSHA256 = false
    /// The name of the empty tree in this repository.
    package var nothing: String { isSHA256 ? Self.emptyTree256 : Self.emptyTree }

    /// Whether `text` is a whole object name.
    static func isName(_ text: some StringProtocol) -> Bool {
        [40, 64].contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
