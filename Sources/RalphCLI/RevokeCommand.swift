import ArgumentParser
import RalphServer

/// `ralph-mobile-server devices revoke`: takes a device's token away; its streams end.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a device's token away; its streams end at once.")

    @OptionGroup var place: PlaceOptions
    @Argument(help: "The device's id, the first digits of it, or its name.")
    var device: String

    func run() async throws {
        try await Terminal.run {
            let devices = PairedDevices(stateDirectory: try place.stateDirectory())
            let found = try Self.find(device, in: try await devices.list())
            try await devices.revoke(found.id)
            Terminal.say("Revoked \(found.id) \(found.name)")
        }
    }

    /// The one device that `text` means: its whole id, else the only one whose id begins so or that is called so.
    static func find(_ text: String, in devices: [DeviceObject]) throws -> DeviceObject {
        let id = text.lowercased()
        if let exact = devices.first(where: { $0.id == id }) { return exact }
        let found = devices.filter { !id.isEmpty && $0.id.hasPrefix(id) || $0.name == text }
        guard let first = found.first else {
            throw CommandProblem("No paired device has this id or name; see ralph-mobile-server devices.")
        }
        guard found.count == 1 else {
            let ids = found.map(\.id).joined(separator: ", ")
            throw CommandProblem(
                "\(found.count) devices are meant by this: \(ids). Say more digits of the id.")
        }
        return first
    }
}
