/// A place in a configuration that would let its author choose what Ralph runs, or which file it uses.
package struct RefusedCommand: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where, with a dot between the keys, such as `cli.command`.
    package let key: String
    /// The program or the file that it names, or why it is refused; may be anything that a client has sent.
    package let what: String

    package var description: String { "\(key): \(what)" }
}
