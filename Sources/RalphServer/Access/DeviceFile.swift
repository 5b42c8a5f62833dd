import RalphFeed
import RalphSessions

/// The paired devices of a state directory that no server uses now.
package struct DeviceFile: Sendable {
    private let state: StateDirectory
    private let book: DeviceBook
    /// Whether a server has used the directory: it left a store or a list of devices there.
    package let isOfServer: Bool

    /// - Throws: ``ConfigurationProblem`` if they cannot be read.
    package init(stateDirectory: String) throws(ConfigurationProblem) {
        state = StateDirectory(examining: stateDirectory)
        book = try DeviceBook(path: state.devices)
        isOfServer = [state.store, state.devices].contains { EntryStatus(at: $0) != nil }
    }

    /// The devices, the oldest first.
    package var devices: [DeviceObject] { book.all.map(DeviceObject.init) }

    /// Takes a device's token away, for the next server that starts.
    ///
    /// - Returns: `false` if there is no such device.
    /// - Throws: ``ConfigurationProblem`` if that cannot be stored, or a server uses the directory all the same: one whose
    ///   record could not be written, or whose processes cannot be seen from here. It would go on to know the device.
    package func revoke(_ id: String) throws(ConfigurationProblem) -> Bool {
        guard let id = DeviceID(id) else { return false }
        let lock: StoreLock
        do throws(StoreError) {
            lock = try StoreLock(store: state.store)
        } catch {
            guard case .inUse = error else {
                throw ConfigurationProblem("The list of devices cannot be written: \(error).")
            }
            throw ConfigurationProblem(
                "A server uses \(state.path) and cannot be reached from here: nothing was changed. Revoke the device where"
                    + " that server runs, or stop it first.")
        }
        defer { lock.release() }
        // Who paired until the server ended is in the list by now.
        let book = try DeviceBook(path: state.devices)
        do throws(DeviceProblem) {
            return try book.revoke(id) != nil
        } catch {
            guard case .notStored(let reason) = error else { return false }
            throw ConfigurationProblem("The list of devices cannot be written: \(reason).")
        }
    }
}
