import RalphSessions
import Testing

@testable import RalphServer

/// What we ship may be imported from a phone.
struct ShippedCommandTests {
    @Test(arguments: ShippedFile.all(.configs) + ShippedFile.all(.presets))
    func `no shipped configuration names a program of its own`(_ file: ShippedFile) throws {
        try ConfigCommands.check(try file.text())
    }
}
