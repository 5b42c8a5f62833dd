import RalphWire

/// A loop of a workspace: the primary, or one in a worktree (contract 5).
struct Loop: Sendable, Equatable {
    let id: String
    let isPrimary: Bool
    var prompt = ""
    /// 0: not known.
    var pid: Int32 = 0
    /// Milliseconds since 1970; 0: not known.
    var startedAt: Int64 = 0
    /// `nil` for the primary.
    var worktree: String?
    /// The main workspace.
    let workspace: String
    var isAlive = false
    /// `loops.json` names a worktree of the workspace that this one was copied from, and Ralph would work on that.
    var isElsewhere = false
    /// The session that has its events; `nil`: none was found.
    var session: SessionID?

    /// Whether `text` can be the id of a loop: it goes into a command line and into paths, so that it must not
    /// look like an option or lead anywhere.
    static func isID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.contains { $0 != UInt8(ascii: ".") }
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
