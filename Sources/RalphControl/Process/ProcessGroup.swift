/// A process group with the processes that were seen in it, so that a signal never reaches strangers.
package struct ProcessGroup: Sendable, Codable, Hashable {
    /// The group's number (getpgid(2)).
    package let id: Int32
    package var members: [ProcessIdentity]

    package init(id: Int32, members: [ProcessIdentity]) {
        self.id = id
        self.members = members
    }
}
