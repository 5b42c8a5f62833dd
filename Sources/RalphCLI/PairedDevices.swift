import RalphServer

/// The paired devices of a state directory: asked of the server that runs there, else read from its file.
struct PairedDevices {
    let stateDirectory: String

    /// The oldest first.
    ///
    /// - Throws: ``CommandProblem`` where neither a server runs nor one ever did: an empty list would be no answer
    ///   about the server that was meant.
    func list() async throws -> [DeviceObject] {
        if let server = try LocalServer.running(stateDirectory: stateDirectory) {
            return try await server.send("GET", "/api/devices", as: [DeviceObject].self)
        }
        let file = try DeviceFile(stateDirectory: stateDirectory)
        guard file.isOfServer else {
            throw CommandProblem(
                "Nothing is known at \(stateDirectory); say --root or --state-dir as the server was started.")
        }
        return file.devices
    }

    /// Takes a device's token away; returns when its streams have ended.
    func revoke(_ id: String) async throws {
        if let server = try LocalServer.running(stateDirectory: stateDirectory) {
            _ = try await server.send("DELETE", "/api/devices/\(id)", as: DeviceObject.self)
        } else if try !DeviceFile(stateDirectory: stateDirectory).revoke(id) {
            throw CommandProblem("This device is paired no longer.")
        }
    }
}
