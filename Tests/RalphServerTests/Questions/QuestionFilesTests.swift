#if os(Linux)
import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

/// What the files of a run say of its questions, and when they say nothing.
struct QuestionFilesTests {
    private static let state =
        #"{"pending_questions":{"main":{"asked_at":"2026-01-01T00:00:00Z","message_id":1}}}"#

    @Test func `what cannot be read for want of a descriptor is not known to be absent`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            try directory.write(".ralph/telegram-state.json", Self.state)
            let place = SessionDirectory(workspace: directory.path)
            withoutDescriptors {
                #expect(throws: SystemCode(EMFILE)) { try QuestionPorts.files(in: place) }
            }

            #expect(try QuestionPorts.files(in: place).telegramAskedAt == 1_767_225_600_000)
            #expect(try QuestionPorts.files(in: place).web == nil)
        }
    }

    @Test func `what a device or another machine does not give is not known to be absent`() {
        // The memory of a process has nothing at its beginning, which is told as of a broken device (proc(5)).
        let path = "/proc/\(getpid())/mem"

        #expect(throws: SystemCode(EIO)) { try WebQuestion.load(path) }
        #expect(throws: SystemCode(EIO)) { try TelegramState.askedAt(path) }
        for code in [ENOTCONN, ESTALE, ETIMEDOUT, EHOSTDOWN, ENFILE, ENOMEM] {
            #expect(SystemCode(code).meansNoAnswer)
        }
    }

    @Test func `what nobody may read says nothing`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            try directory.write(".ralph/telegram-state.json", Self.state)
            let place = SessionDirectory(workspace: directory.path)
            try #require(chmod(place.telegramState, 0o000) == 0)

            let files = try withoutRights { try QuestionPorts.files(in: place) }
            #expect(files.telegramAskedAt == nil)
        }
    }
}
#endif
