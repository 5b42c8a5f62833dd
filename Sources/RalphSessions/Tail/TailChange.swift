/// What befell the content of a tailed file, other than growing.
package enum TailChange: String, Sendable, Codable, CaseIterable {
    /// It became shorter than what was read of it.
    case truncated
    /// Another file stands at its path, with other content.
    case replaced
    /// The same file holds other content where it had been read.
    case rewritten
    /// Nothing stands at its path any more.
    case deleted
    /// Something stands at its path again after ``deleted``.
    case returned
}
