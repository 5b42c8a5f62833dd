import RalphSessions

/// What a ``ProcessTree`` knows of one process.
package struct ProcessEntry: Sendable, Hashable {
    package let identity: ProcessIdentity
    package let parent: Int32
    /// See getpgid(2).
    package let group: Int32
    /// See getsid(2).
    package let session: Int32
    /// The real user; `nil` if the process ended meanwhile.
    package let uid: UInt32?
    /// The command name, cut to 15 bytes by the system.
    package let name: String

    init(_ status: ProcessStatus) {
        identity = ProcessIdentity(status)
        parent = status.parent
        group = status.group
        session = status.session
        uid = identity.uid
        name = status.name
    }
}
