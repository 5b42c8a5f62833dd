import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct EventsFileWriterTests {
    @Test func `a row stands alone even behind a line without its end`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [])
            try root.append(SessionScene.events, #"{"topic":"torn"}"#)

            try scene.writer.append(Array(#"{"topic":"ours"}"#.utf8))

            #expect(scene.text(SessionScene.events) == "{\"topic\":\"torn\"}\n{\"topic\":\"ours\"}\n")
        }
    }

    @Test func `the row of a person has exactly five members in order`() {
        let row = EventRow.user(
            marker: "cmd_1", topic: "user.note", payload: EventRow.string("a\u{0}\n\"b"), at: 1)
        #expect(
            String(decoding: row, as: UTF8.self)
                == #"{"id":"cmd_1","payload":"a\u0000\n\"b","source":"user","topic":"user.note","ts":"1970-01-01T00:00:00.001Z"}"#
        )
    }

    @Test func `a file that the pointer names and that is not there yet is made`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.write(".ralph/current-events", ".ralph/events-20270101-000000.jsonl\n")

            try scene.writer.append(Array("{}".utf8))

            #expect(scene.text(".ralph/events-20270101-000000.jsonl") == "\n{}\n")
        }
    }

    @Test func `without a pointer the plain file is meant, if it is there`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.remove(".ralph/current-events")
            #expect(throws: ControlError.self) { try scene.writer.append(Array("{}".utf8)) }
            try root.write(".ralph/events.jsonl", "")

            try scene.writer.append(Array("{}".utf8))

            #expect(scene.text(".ralph/events.jsonl") == "\n{}\n")
        }
    }

    @Test func `a pointer that may not be read is told with that reason`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            let pointer = root.path + "/.ralph/current-events"
            try #require(chmod(pointer, 0) == 0)

            withoutRights {
                #expect(throws: ControlError.unwritable(path: pointer, reason: "Permission denied")) {
                    try scene.writer.append(Array("{}".utf8))
                }
            }
        }
    }

    @Test(arguments: [
        "../out.jsonl", "/etc/out.jsonl", "link/out.jsonl", ".ralph/link.jsonl", ".ralph/fifo", ".ralph",
    ])
    func `a pointer that leads elsewhere is refused and nothing is written`(pointer: String) async throws {
        try await withTemporaryDirectory { root in
            try root.write("elsewhere/x", "")
            try root.write("inner/x", "")
            let scene = try SessionScene(TemporaryDirectory(path: root.path + "/inner"))
            symlink(root.path + "/elsewhere", root.path + "/inner/link")
            symlink(root.path + "/elsewhere/new", root.path + "/inner/.ralph/link.jsonl")
            mkfifo(root.path + "/inner/.ralph/fifo", 0o600)
            try root.write("inner/.ralph/current-events", pointer)

            let error = #expect(throws: ControlError.self) { try scene.writer.append(Array("{}".utf8)) }

            guard case .unsafePath = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try root.names(in: "elsewhere") == ["x"])
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a full disk is an error that leaves nothing, and the next row is whole again`() async throws {
        try await withTemporaryDirectory { root in
            let disk = try #require(FullDisk(below: root))
            defer { disk.unmount() }
            let scene = try SessionScene(TemporaryDirectory(path: disk.path))
            let before = scene.text(SessionScene.events)
            let filler = try disk.fill()
            let error = #expect(throws: ControlError.self) {
                try scene.writer.append(Array("{\"a\":\"\(String(repeating: "x", count: 20_000))\"}".utf8))
            }
            guard case .unwritable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(scene.text(SessionScene.events) == before)
            try FileManager.default.removeItem(atPath: filler)
            try scene.writer.append(Array(#"{"topic":"next"}"#.utf8))

            let last = scene.text(SessionScene.events)?.split(separator: "\n").last
            #expect(last == #"{"topic":"next"}"#)
        }
    }
}
