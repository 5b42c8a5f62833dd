import ArgumentParser
import Foundation
import RalphServer
import RalphWire

/// `ralph-mobile-server devices`: the paired devices.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the paired devices, or take the token of one away.",
        subcommands: [RevokeCommand.self])

    @OptionGroup var place: PlaceOptions
    @Flag(help: "Print them as a JSON array.")
    var json = false

    func run() async throws {
        try await Terminal.run {
            let devices = try await PairedDevices(stateDirectory: try place.stateDirectory()).list()
            if json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                return Terminal.draw(String(decoding: try encoder.encode(devices), as: UTF8.self))
            }
            guard !devices.isEmpty else { return Terminal.say("No device is paired.") }
            for device in devices { Terminal.say(Self.line(device)) }
        }
    }

    /// One device: id, scope, when and from where it last came, name.
    static func line(_ device: DeviceObject) -> String {
        let seen = device.last_seen.map { "seen \($0) from \(device.last_peer ?? "unknown")" } ?? "never seen"
        let scope = device.scope.rawValue.padding(toLength: 6, withPad: " ", startingAt: 0)
        return "\(device.id)  \(scope)  paired \(device.created_at)  \(seen)  \(device.name)"
    }
}
