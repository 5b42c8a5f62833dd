import Foundation
import RalphSessions

extension ProcessGroup {
    /// Whether a process that was seen in the group lives.
    package var isAlive: Bool { members.contains(where: \.isAlive) }

    /// Sends signal `number` (signal(7)) to the group, and to members that have left it since.
    ///
    /// The whole group is signalled only while a known member is in it and is held on to, so that the number
    /// means the same group. Not so a group whose living leader is not known, and this process's own: those
    /// are others' as well, and only the known members are signalled.
    ///
    /// - Returns: whether anything was signalled.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        let handles = members.compactMap(ProcessHandle.init).filter { !$0.isOver }
        let inside = handles.filter { $0.identity.status?.group == id }
        let outside = handles.filter { handle in !inside.contains { $0 === handle } }
        var isSignalled = false
        if !inside.isEmpty, isOurs {
            isSignalled = kill(-id, number) == 0
        } else {
            for handle in inside where handle.signal(number) { isSignalled = true }
        }
        for handle in outside where handle.signal(number) { isSignalled = true }
        return isSignalled
    }

    /// Whether a signal to the group's number reaches nobody who is no business of ours.
    private var isOurs: Bool {
        guard id > 1, id != getpgrp() else { return false }
        guard let leader = ProcessIdentity(pid: id), leader.status?.group == id else { return true }
        return members.contains(leader)
    }
}
