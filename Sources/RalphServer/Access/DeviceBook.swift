import Foundation
import RalphSessions
import RalphWire
import Synchronization

/// The paired devices, in `devices.json` of the state directory.
///
/// Every change is on disk before it counts, so that a revoked device stays revoked whatever happens; when a
/// device was last seen is written once a minute at most.
final class DeviceBook: Sendable {
    /// What begins every token, so that tools that look for lost secrets know one.
    static let tokenPrefix = "rmd_"
    /// Devices at once; pairing another one is refused.
    static let maximumDevices = 100
    /// UTF-8 bytes of a name.
    static let maximumNameBytes = 80
    /// Milliseconds between two records of when devices were last seen.
    static let seenInterval: Int64 = 60_000

    private struct State {
        var devices: [DeviceID: Device] = [:]
        var byDigest: [String: DeviceID] = [:]
        var writtenSeen: Int64 = 0
        /// Whether somebody came since the file was written.
        var hasUnwrittenSeen = false
        /// Revoked, though the file still has them.
        var unwritten: [DeviceID: Device] = [:]
    }

    private let path: String
    /// Which directory that was at the beginning.
    private let directory: FileIdentity?
    private let state: Mutex<State>
    /// Held while the file is written, so that those who only look somebody up wait for no disk.
    private let writing = Mutex(())

    /// Reads the devices, or begins with none.
    ///
    /// - Throws: ``ConfigurationProblem`` if the file is there and cannot be read: to begin with none would give
    ///   nobody back what was revoked, but take from everybody what was granted.
    init(path: String) throws(ConfigurationProblem) {
        self.path = path
        directory = Self.directory(of: path)
        var state = State()
        if FileManager.default.fileExists(atPath: path) {
            // Who can write here can pair a device of their own.
            guard EntryStatus(at: path)?.isOursAlone == true else {
                throw ConfigurationProblem(
                    "The paired devices in \(path) could have been changed by others: chmod 600 the file if you know"
                        + " every device in it, else move it away to begin without any.")
            }
            do {
                let data = try Data(contentsOf: URL(fileURLWithPath: path))
                for device in try JSONDecoder().decode([Device].self, from: data) {
                    state.devices[device.id] = device
                    state.byDigest[device.tokenDigest] = device.id
                }
            } catch {
                throw ConfigurationProblem(
                    "The paired devices in \(path) cannot be read: \(SystemReason.sentence(error))"
                        + " Move the file away to begin without any.")
            }
        }
        self.state = Mutex(state)
    }

    /// The devices, the oldest first.
    var all: [Device] {
        state.withLock {
            $0.devices.values.sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
        }
    }

    /// The device that `token` belongs to; `nil`: none, or no longer.
    func device(for token: String) -> Device? {
        // Found by its digest: how long that takes tells nothing of a token.
        let digest = Hexadecimal.text(Secret.digest(token))
        return state.withLock { state in state.byDigest[digest].flatMap { state.devices[$0] } }
    }

    /// The device of this id.
    func device(_ id: DeviceID) -> Device? { state.withLock { $0.devices[id] } }

    /// Whether a device that was let in still would be; true where none is meant.
    func knows(_ id: DeviceID?) -> Bool { id.map { device($0) != nil } ?? true }

    /// Adds a device.
    ///
    /// - Parameter inviter: the device that made its ticket, which must not have been revoked; `nil`: none did.
    /// - Returns: it and its token, which is not kept.
    /// - Throws: ``DeviceProblem``.
    func register(
        name: String, scope: Scope, invitedBy inviter: DeviceID?, at now: Int64
    ) throws(DeviceProblem) -> (device: Device, token: String) {
        let token = Self.tokenPrefix + Secret.mint()
        let digest = Hexadecimal.text(Secret.digest(token))
        guard let id = DeviceID(Secret.mint().prefix(12)) else { throw .notStored("no id") }
        let device = Device(id: id, name: name, scope: scope, createdAt: now, tokenDigest: digest)
        try change { state throws(DeviceProblem) in
            if let inviter, state.devices[inviter] == nil { throw .inviterGone }
            guard state.devices.count < Self.maximumDevices else { throw .tooMany }
            state.devices[id] = device
            state.byDigest[digest] = id
        }
        return (device, token)
    }

    /// Takes a device's token away; it counts at once, also when the disk does not take it.
    ///
    /// - Returns: what it was; `nil`: there is none of this id.
    /// - Throws: ``DeviceProblem`` if it will count again after a restart, unless ``writeAgain()`` works before.
    func revoke(_ id: DeviceID) throws(DeviceProblem) -> Device? {
        try writing.withLock { _ throws(DeviceProblem) in
            // Of several at once, one takes it away.
            guard let device = state.withLock({ $0.devices[id] ?? $0.unwritten[id] }) else { return nil }
            do throws(DeviceProblem) {
                try changeInTurn { Self.remove(device, from: &$0) }
            } catch {
                // Before anybody writes down others, and with them this one.
                state.withLock { state in
                    Self.remove(device, from: &state)
                    state.unwritten[id] = device
                }
                throw error
            }
            return device
        }
    }

    /// Whether the file has no device that was revoked.
    var isWritten: Bool { state.withLock(\.unwritten.isEmpty) }

    /// Writes what the disk did not take before; `false`: it still does not.
    func writeAgain() -> Bool {
        do throws(DeviceProblem) {
            try change { _ in }
            return true
        } catch {
            return false
        }
    }

    private static func remove(_ device: Device, from state: inout State) {
        state.devices[device.id] = nil
        state.byDigest[device.tokenDigest] = nil
    }

    /// Notes that a device came, and from where.
    func noteSeen(_ id: DeviceID, from peer: String, at now: Int64) {
        state.withLock { state in
            guard state.devices[id] != nil else { return }
            state.hasUnwrittenSeen = true
            state.devices[id]?.lastSeen = now
            state.devices[id]?.lastPeer = peer
        }
    }

    /// Writes down when devices were last seen, if that is due or `isLast`.
    ///
    /// - Throws: ``DeviceProblem``; the next call tries again.
    func keepSeen(at now: Int64, isLast: Bool = false) throws(DeviceProblem) {
        let isDue = state.withLock { state in
            // A clock that was put back is no reason to wait.
            let isRested = now < state.writtenSeen || now - state.writtenSeen >= Self.seenInterval
            return state.hasUnwrittenSeen && (isLast || isRested)
        }
        guard isDue else { return }
        try change { $0.writtenSeen = now }
    }

    /// Changes the devices in memory once the change is on disk.
    private func change(
        _ body: (inout State) throws(DeviceProblem) -> Void
    ) throws(DeviceProblem) {
        try writing.withLock { _ throws(DeviceProblem) in try changeInTurn(body) }
    }

    /// The same for whoever holds ``writing``.
    private func changeInTurn(
        _ body: (inout State) throws(DeviceProblem) -> Void
    ) throws(DeviceProblem) {
        var changed = state.withLock { $0 }
        try body(&changed)
        try write(changed.devices.values.sorted { $0.createdAt < $1.createdAt })
        state.withLock { state in
            changed.hasUnwrittenSeen = false
            // Who came meanwhile has come.
            for (id, device) in state.devices {
                guard let written = changed.devices[id] else { continue }
                if (written.lastSeen, written.lastPeer) != (device.lastSeen, device.lastPeer) {
                    changed.hasUnwrittenSeen = true
                }
                changed.devices[id]?.lastSeen = device.lastSeen
                changed.devices[id]?.lastPeer = device.lastPeer
            }
            state = changed
            state.unwritten = [:]
        }
    }

    private static func directory(of path: String) -> FileIdentity? {
        EntryStatus(behindLinks: (path as NSString).deletingLastPathComponent).map(FileIdentity.init)
    }

    private func write(_ devices: [Device]) throws(DeviceProblem) {
        // Put aside for a new one, it must not give that one's server the devices which it was to forget.
        guard Self.directory(of: path) == directory else {
            throw .notStored("the state directory was replaced")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try PrivateFile.replace(path, with: try encoder.encode(devices))
        } catch {
            throw .notStored(SystemReason.text(error) ?? error.localizedDescription)
        }
    }
}
