import Foundation
import Logging
import NIOPosix
import RalphFeed
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct HostSamplerTests {
    private func withSampler(
        _ pace: HostSampler.Pace, proc: String? = nil,
        _ body: @Sendable @escaping (HostSampler) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var files = HostFiles(diskPath: directory.path)
            if let proc { files.proc = proc }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s.sqlite"), logger: logger)
            let catalogue = SessionCatalogue()
            let threads = NIOThreadPool(numberOfThreads: 2)
            threads.start()
            let sampler = HostSampler(
                files: files,
                owners: ProcessOwners(
                    registry: try RunRegistry(ledger: feed.ledger, catalogue: catalogue, logger: logger),
                    catalogue: catalogue),
                pace: pace, threads: threads, logger: logger)
            try await withRunning("the sampler") {
                try await sampler.run()
            } _: {
                try await body(sampler)
            }
            feed.close()
            try await threads.shutdownGracefully()
        }
    }

    @Test func `it sleeps until somebody asks, and again when nobody does`() async throws {
        let pace = HostSampler.Pace(
            interval: .milliseconds(20), warmUp: .milliseconds(5), patience: .milliseconds(100))
        try await withSampler(pace) { sampler in
            #expect(sampler.looks.load(ordering: .relaxed) == 0)

            try await eventually(within: .seconds(10)) {
                _ = try await sampler.answers()
                return sampler.looks.load(ordering: .relaxed) >= 4
            }
            try await eventually(within: .seconds(10)) { sampler.isAsleep }
            let asleep = sampler.looks.load(ordering: .relaxed)
            _ = try await sampler.answers()

            #expect(sampler.looks.load(ordering: .relaxed) >= asleep + 2)
        }
    }

    @Test func `the first request waits for two looks, and not for an interval`() async throws {
        try await withSampler(.init(interval: .seconds(3600))) { sampler in
            let begun = ContinuousClock.now
            _ = try await sampler.answers()

            #expect(sampler.looks.load(ordering: .relaxed) == 2)
            #expect(ContinuousClock.now - begun < .seconds(5))
            // From now on there is an answer at once.
            _ = try await sampler.answers()
            #expect(sampler.looks.load(ordering: .relaxed) == 2)
        }
    }

    @Test func `many who come at once share the first looks`() async throws {
        try await withSampler(.init(interval: .seconds(3600))) { sampler in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await sampler.answers() } }
                try await group.waitForAll()
            }
            #expect(sampler.looks.load(ordering: .relaxed) == 2)
        }
    }

    @Test func `where nothing can be read there is a reason`() async throws {
        try await withSampler(.init(warmUp: .milliseconds(1)), proc: "/nowhere") { sampler in
            let problem = await #expect(throws: Problem.self) { _ = try await sampler.answers() }

            #expect(problem?.status == 500)
            #expect(problem?.error == "metrics_unavailable: /nowhere cannot be read")
        }
    }

    @Test func `what is known is not told for as long as a look hangs`() async throws {
        let pace = HostSampler.Pace(
            interval: .milliseconds(10), warmUp: .milliseconds(1), deadline: .milliseconds(100))
        try await withTemporaryDirectory { directory in
            let scene = try HostScene(directory)
            let (file, kept) = (scene.files.proc + "/stat", scene.files.proc + "/kept")
            try directory.write("proc/kept", "cpu 200 0 0 1800 0 0 0 0\ncpu0 1\ncpu1 1\n")
            try await withSampler(pace, proc: scene.files.proc) { sampler in
                try await eventually(within: .seconds(10)) {
                    _ = try await sampler.answers()
                    return true
                }
                // Who reads it waits for who writes.
                try #require(mkfifo(file + "-pipe", 0o600) == 0 && rename(file + "-pipe", file) == 0)
                do {
                    var writer: Int32 = -1
                    defer {
                        rename(kept, file)
                        close(writer)
                    }
                    try await eventually(within: .seconds(10), "a look that hangs") {
                        writer = open(file, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                        return writer >= 0
                    }
                    try await eventually(within: .seconds(10), "a reason") {
                        do throws(Problem) { _ = try await sampler.answers() } catch {
                            return error.error == "metrics_unavailable: the system did not answer in time"
                        }
                        return false
                    }
                }
                try await eventually(within: .seconds(10), "answers") {
                    _ = try await sampler.answers()
                    return true
                }
            }
        }
    }

    @Test func `more than may wait are refused, and none waits for ever`() async throws {
        let pace = HostSampler.Pace(warmUp: .seconds(3600), deadline: .seconds(10))
        try await withSampler(pace) { sampler in
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0...HostSampler.maximumWaiting {
                    group.addTask {
                        do throws(Problem) { _ = try await sampler.answers() } catch { return error.status }
                        return 200
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [500: HostSampler.maximumWaiting, 503: 1])
        }
    }
}
