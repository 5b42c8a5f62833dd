import Foundation
import RalphSessions
import RalphWire

/// Files with words for the run: urgent steering, answers, and the scratchpad that `--continue` insists on.
extension ControlFiles {
    /// More urgent messages than this are not kept: the agent has emitted nothing for long, and every one of
    /// them is in the events file as well.
    private static let maximumUrgentMessages = 64
    private static let maximumUrgentBytes = 16 << 20
    private static let maximumRobotBytes = 16 << 20

    /// Adds `message` to what the agent's next `ralph emit` shows it (contract 4.6).
    ///
    /// A message equal to the last one is not added twice. What is there and cannot be read is replaced: it
    /// would make every `ralph emit` fail.
    func addUrgent(_ message: String, at now: Int64) throws(ControlError) {
        let handle = try handle()
        let name = name(of: directory.urgentSteer)
        let bytes = handle.content(of: name, maximumBytes: Self.maximumUrgentBytes) ?? []
        // Malformed content is replaced, see above.
        let members = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        var messages = members?["messages"] as? [String] ?? []
        if messages.last == message { return }
        messages = messages.suffix(Self.maximumUrgentMessages - 1) + [message]
        var file = JSONObjectText()
        file.add("messages", messages)
        file.add("created_at", members?["created_at"] as? String ?? Timestamp.text(now))
        try handle.replace(name, with: file.finished)
    }

    /// Answers the question of the web robot (contract 6.6); Ralph takes it within 250 ms if all three names
    /// of the question are right, and deletes it otherwise.
    ///
    /// - Parameter id: the question's `id` as the file spells it, a JSON value.
    func respond(id: String, loopID: String, token: String, text: String) throws(ControlError) {
        var file = JSONObjectText()
        file.add("id", json: Array(id.utf8))
        file.add("loop_id", loopID)
        file.add("response_token", token)
        file.add("response", text)
        let (place, name) = try response()
        try place.replace(name, with: file.finished)
    }

    /// Whether the web robot's question of `token` is there.
    func asks(token: String) -> Bool {
        // In a directory that cannot be opened nobody asks.
        guard let handle = try? handle() else { return false }
        return Self.token(
            in: handle.content(of: name(of: directory.robotQuestion), maximumBytes: Self.maximumRobotBytes))
            == token
    }

    /// Takes an answer away again that nobody took, if it is there.
    func withdrawResponse(token: String) throws(ControlError) {
        let (place, name) = try response()
        if Self.token(in: place.content(of: name, maximumBytes: Self.maximumRobotBytes)) == token {
            try place.remove(name)
        }
    }

    private static func token(in bytes: [UInt8]?) -> String? {
        // What cannot be read has none.
        let members = (try? JSONSerialization.jsonObject(with: Data(bytes ?? []))) as? [String: Any]
        return members?["response_token"] as? String
    }

    private func response() throws(ControlError) -> (place: DirectoryHandle, name: String) {
        let parts = name(of: directory.robotResponse).split(separator: "/").map(String.init)
        var place = try handle()
        for part in parts.dropLast() { place = try place.subdirectory(part) }
        return (place, parts.last ?? "")
    }

    /// Makes an empty scratchpad unless there is one: `--continue` refuses to start without (contract 4.5).
    ///
    /// - Parameter configured: `core.scratchpad`, relative to the workspace; `nil`: Ralph's default.
    /// - Throws: ``ControlError/notContinuable(_:)`` for one that is missing outside of the workspace, which is its owner's.
    func ensureScratchpad(_ configured: String?) throws(ControlError) {
        try scratchpad(configured, isMade: true)
    }

    /// Refuses what ``ensureScratchpad(_:)`` could not make, and makes nothing.
    ///
    /// - Throws: ``ControlError/notContinuable(_:)``.
    func requireScratchpad(_ configured: String?) throws(ControlError) {
        try scratchpad(configured, isMade: false)
    }

    private func scratchpad(_ configured: String?, isMade: Bool) throws(ControlError) {
        let path = configured.map { $0.hasPrefix("/") ? $0 : directory.workspace + "/" + $0 }
        guard let path = path ?? directory.scratchpads.first, access(path, F_OK) != 0 else { return }
        let url = URL(fileURLWithPath: path).standardizedFileURL
        let below = url.path.path(below: directory.workspace) ?? ""
        let inner = below.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        do throws(ControlError) {
            guard let name = inner.last else { throw .unsafePath(path) }
            var place = try DirectoryHandle(directory.workspace, inside: [directory.workspace])
            for part in inner.dropLast() {
                if !isMade, !place.holds(part) { return }
                place = try place.inner(part, inside: [directory.workspace, directory.path])
            }
            if isMade { try place.create(name) }
        } catch .unsafePath {
            throw .notContinuable("its scratchpad \(path) is missing, and lies outside of the workspace")
        }
    }
}

extension DirectoryHandle {
    /// The directory `name` in this one: a link counts as long as it stays within `roots`, a missing one is made.
    fileprivate func inner(_ name: String, inside roots: [String]) throws(ControlError) -> DirectoryHandle {
        if holds(name) { return try DirectoryHandle(path + "/" + name, inside: roots) }
        return try subdirectory(name)
    }
}
