import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

struct DeviceBookTests {
    @Test func `a device is found by its token and kept by its digest`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/devices.json"
            let (device, token) = try DeviceBook(path: path).register(
                name: "Phone", scope: .steer, invitedBy: nil, at: 7)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let again = try DeviceBook(path: path)

            #expect(token.hasPrefix(DeviceBook.tokenPrefix))
            #expect(token.utf8.count == 68)
            #expect(!text.contains(token) && !text.contains(token.dropFirst(4)))
            #expect(try directory.mode("devices.json") == 0o600)
            #expect(again.device(for: token) == device)
            #expect(again.device(for: token + "0") == nil)
            #expect(again.device(for: device.tokenDigest) == nil)
            #expect(again.device(for: DeviceBook.tokenPrefix + device.tokenDigest) == nil)
        }
    }

    @Test func `when a device was last seen is kept over a clock that is put back`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/devices.json"
            let book = try DeviceBook(path: path)
            let id = try book.register(name: "Phone", scope: .watch, invitedBy: nil, at: 1).device.id
            func kept() throws -> Int64? { try DeviceBook(path: path).device(id)?.lastSeen }
            let (now, hour) = (Int64(10_000_000), Int64(3_600_000))
            book.noteSeen(id, from: "10.0.0.9", at: now)
            try book.keepSeen(at: now)
            #expect(try kept() == now)

            book.noteSeen(id, from: "10.0.0.9", at: now - hour)
            try book.keepSeen(at: now - hour)
            #expect(try kept() == now - hour)
            // Once a minute at most, but for the last word.
            book.noteSeen(id, from: "10.0.0.9", at: now - hour + 1)
            try book.keepSeen(at: now - hour + 1)
            #expect(try kept() == now - hour)
            try book.keepSeen(at: now - hour + 1, isLast: true)
            #expect(try kept() == now - hour + 1)
        }
    }

    @Test func `a list that cannot be read ends the start`() async throws {
        try await withTemporaryDirectory { directory in
            for text in ["", "{", "{}", #"[{"id":"x"}]"#, "null"] {
                let path = try directory.write("devices.json", text)
                let problem = #expect(throws: ConfigurationProblem.self) { try DeviceBook(path: path) }
                #expect(problem?.description.contains("cannot be read: it is no JSON, or") == true)
            }
        }
    }

    @Test func `a list that others may write to ends the start`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("devices.json", "[]")
            chmod(path, 0o666)
            #expect(throws: ConfigurationProblem.self) { try DeviceBook(path: path) }
            chmod(path, 0o600)
            #expect(throws: Never.self) { try DeviceBook(path: path) }
        }
    }

    @Test func `nothing is written into a directory that took the place of the list's`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("state/devices.json", "[]")
            chmod(path, 0o600)
            let book = try DeviceBook(path: path)
            let (device, _) = try book.register(name: "Phone", scope: .steer, invitedBy: nil, at: 7)
            let state = directory.path + "/state"
            try FileManager.default.moveItem(atPath: state, toPath: state + ".old")
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)

            let problem = DeviceProblem.notStored("the state directory was replaced")
            #expect(throws: problem) {
                try book.register(name: "Tablet", scope: .watch, invitedBy: nil, at: 8)
            }
            #expect(throws: problem) { try book.revoke(device.id) }
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(book.all.isEmpty && !book.writeAgain())
        }
    }

    @Test func `there are so many devices and no more`() async throws {
        try await withTemporaryDirectory { directory in
            let book = try DeviceBook(path: directory.path + "/devices.json")
            for number in 0..<DeviceBook.maximumDevices {
                _ = try book.register(name: "\(number)", scope: .watch, invitedBy: nil, at: 1)
            }
            #expect(throws: DeviceProblem.tooMany) {
                _ = try book.register(name: "one more", scope: .watch, invitedBy: nil, at: 1)
            }
            let first = try #require(book.all.first)
            _ = try book.revoke(first.id)
            #expect(throws: Never.self) {
                _ = try book.register(name: "now", scope: .watch, invitedBy: nil, at: 1)
            }
        }
    }

    @Test func `of revocations at once one has taken the device away`() async throws {
        try await withTemporaryDirectory { directory in
            let book = try DeviceBook(path: directory.path + "/devices.json")
            for number in 0..<20 {
                let device = try book.register(name: "\(number)", scope: .watch, invitedBy: nil, at: 1).device

                let revoked = try await withThrowingTaskGroup(of: Device?.self) { group in
                    for _ in 0..<8 { group.addTask { try book.revoke(device.id) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }

                #expect(revoked.compactMap { $0 } == [device])
            }
        }
    }

    @Test func `a revocation that the disk did not take can be made again`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/devices.json"
            let book = try DeviceBook(path: path)
            let devices = try (1...2).map {
                try book.register(name: "\($0)", scope: .watch, invitedBy: nil, at: 1).device
            }
            // What stands in the way of the file's next version.
            try directory.write("devices.json.new/x", "")
            for device in devices {
                for _ in 1...2 { #expect(throws: DeviceProblem.self) { try book.revoke(device.id) } }
            }
            #expect(try book.revoke(#require(DeviceID("000000000000"))) == nil)
            #expect(book.all.isEmpty && !book.isWritten && !book.writeAgain())
            #expect(try DeviceBook(path: path).all.count == 2)

            try directory.remove("devices.json.new")
            #expect(try book.revoke(devices[0].id) == devices[0])
            #expect(book.isWritten)
            #expect(try book.revoke(devices[1].id) == nil)
            #expect(try DeviceBook(path: path).all.isEmpty)
        }
    }

    @Test func `a secret is compared by all of itself`() {
        let secret = Secret.mint()
        let digest = Secret.digest(secret)

        #expect(secret.utf8.count == 64)
        #expect(Secret.mint() != secret)
        #expect(Secret.isEqual(secret, digest))
        for wrong in [
            "", String(secret.dropLast()), secret + "0", secret.uppercased() + " ", Hexadecimal.text(digest),
        ] {
            #expect(!Secret.isEqual(wrong, digest))
        }
        #expect(!Secret.isEqual(secret, []))
        #expect(!Secret.isEqual(secret, Array(digest.dropLast())))
    }
}
