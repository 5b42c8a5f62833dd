import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

struct DeviceFileTests {
    @Test func `while a server has the directory its list is not changed behind its back`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            let book = try DeviceBook(path: state.devices)
            let id = try book.register(name: "Phone", scope: .watch, invitedBy: nil, at: 1).device.id.text
            let file = try DeviceFile(stateDirectory: state.path)
            let lock = try StoreLock(store: state.store)

            let problem = #expect(throws: ConfigurationProblem.self) { try file.revoke(id) }
            #expect(problem?.description.contains("nothing was changed") == true)
            #expect(try DeviceFile(stateDirectory: state.path).devices.count == 1)

            lock.release()
            #expect(try file.revoke(id))
            #expect(try DeviceFile(stateDirectory: state.path).devices.isEmpty)
            #expect(try !file.revoke(id))
        }
    }

    @Test func `why the list cannot be written is said in words`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            let book = try DeviceBook(path: state.devices)
            let id = try book.register(name: "Phone", scope: .watch, invitedBy: nil, at: 1).device.id.text
            // A directory in the place of the file that a change is written to first.
            try place.write("state/devices.json.new/x", "")

            let problem = #expect(throws: ConfigurationProblem.self) {
                try DeviceFile(stateDirectory: state.path).revoke(id)
            }
            #expect(problem?.description == "The list of devices cannot be written: File exists.")
        }
    }

    @Test func `who paired after the look is known`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            let file = try DeviceFile(stateDirectory: state.path)
            let book = try DeviceBook(path: state.devices)
            let id = try book.register(name: "Phone", scope: .watch, invitedBy: nil, at: 1).device.id.text

            #expect(try file.revoke(id))
        }
    }
}
