import RalphSessions

/// The paired devices of a state directory that no server uses now.
package struct DeviceFile: Sendable {
    private let book: DeviceBook
    /// Whether a server has used the directory: it left a store or a list of devices there.
    package let isOfServer: Bool

    /// - Throws: ``ConfigurationProblem`` if they cannot be read.
    package init(stateDirectory: String) throws(ConfigurationProblem) {
        let state = StateDirectory(examining: stateDirectory)
        book = try DeviceBook(path: state.devices)
        isOfServer = [state.store, state.devices].contains { EntryStatus(at: $0) != nil }
    }

    /// The devices, the oldest first.
    package var devices: [DeviceObject] { book.all.map(DeviceObject.init) }

    /// Takes a device's token away, for the next server that starts.
    ///
    /// - Returns: `false` if there is no such device.
    /// - Throws: ``ConfigurationProblem`` if that cannot be stored.
    package func revoke(_ id: String) throws(ConfigurationProblem) -> Bool {
        guard let id = DeviceID(id) else { return false }
        do {
            return try book.revoke(id) != nil
        } catch {
            throw ConfigurationProblem("The list of devices cannot be written: \(error).")
        }
    }
}
