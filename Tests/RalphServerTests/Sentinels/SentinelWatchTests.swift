import Foundation
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct SentinelWatchTests {
    @Test func `silence is told once, and its end`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.stallSeconds = 60 }
        stage.row("a")
        await watch.step()
        stage.wait(59)
        await watch.step()
        #expect(stage.told.isEmpty)

        for _ in 0..<5 {
            stage.wait(30)
            await watch.step()
        }
        #expect(stage.told == ["stalled"])
        #expect(try stage.data()["threshold_secs"] as? Int == 60)
        #expect(try stage.data()["silent_secs"] as? Int == 89)
        stage.row("b")
        await watch.step()
        await watch.step()
        #expect(stage.told == ["stalled", "recovered"])
        #expect(try stage.data()["silent_secs"] as? Int == 209)
        stage.wait(70)
        await watch.step()
        #expect(stage.told == ["stalled", "recovered", "stalled"])
    }

    @Test(arguments: [10_800, -10_800])
    func `a clock that is set makes nothing of a silence`(_ seconds: Int) async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.stallSeconds = 1800 }
        stage.row("a")
        await watch.step()
        stage.wait(seconds)
        for _ in 0..<17 {
            await watch.step()
            stage.wait(100)
        }
        #expect(stage.told.isEmpty)

        for _ in 0..<3 {
            stage.wait(100)
            await watch.step()
        }
        #expect(stage.told == ["stalled"])
    }

    @Test func `an episode is not told again after a restart`() async throws {
        let stage = SentinelStage()
        stage.row("a")
        let first = stage.watch { $0.stallSeconds = 60 }
        await first.step()
        stage.wait(61)
        await first.step()
        let second = stage.watch { $0.stallSeconds = 60 }
        stage.changes.add([SentinelStage.session])
        for _ in 0..<5 {
            await second.step()
            stage.wait(61)
        }
        #expect(stage.told == ["stalled"])

        stage.row("b")
        await second.step()
        #expect(stage.told == ["stalled", "recovered"])
        #expect(try stage.data()["silent_secs"] as? Int == 366)
    }

    @Test(arguments: [10_800, -10_800])
    func `what an earlier server saw of a silence counts, a clock that is set does not`(_ seconds: Int)
        async throws
    {
        let stage = SentinelStage()
        let first = stage.watch { $0.stallSeconds = 60 }
        stage.row("a")
        await first.step()
        stage.wait(61)
        await first.step()
        stage.wait(10)
        let second = stage.watch { $0.stallSeconds = 60 }
        stage.changes.add([SentinelStage.session])
        await second.step()
        stage.wait(seconds)
        await second.step()
        stage.row("b")
        await second.step()

        #expect(stage.told == ["stalled", "recovered"])
        #expect(try stage.data()["silent_secs"] as? Int == 71)
        #expect(stage.stalledSince == nil)
    }

    @Test func `a run that waits for somebody, or is over, is not stalled`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.stallSeconds = 60 }
        stage.setWaiting(true)
        await watch.step()
        stage.wait(600)
        await watch.step()
        stage.setWaiting(false)
        stage.wait(30)
        await watch.step()
        #expect(stage.told.isEmpty)
        stage.wait(31)
        await watch.step()
        #expect(stage.told == ["stalled"])

        stage.setAlive(false)
        await watch.step()
        stage.wait(600)
        await watch.step()
        #expect(stage.told == ["stalled"])
    }

    @Test func `a topic over and over is told once for each time that it begins`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.repeats = 4 }
        await watch.step()
        for _ in 0..<9 {
            stage.row("slice.built")
            await watch.step()
        }
        #expect(stage.told == ["repeating"])
        stage.row("other")
        for _ in 0..<3 { stage.row("slice.built") }
        await watch.step()
        #expect(stage.told == ["repeating"])
        stage.row("slice.built")
        await watch.step()

        #expect(stage.told == ["repeating", "repeating"])
        let data = try stage.data()
        #expect(data["topic"] as? String == "slice.built" && data["count"] as? Int == 4)
        #expect(data["threshold"] as? Int == 4 && data["since"] is String)
    }

    @Test func `history at first sight is no trouble`() async throws {
        let stage = SentinelStage(isHistory: true)
        let watch = stage.watch {
            $0.repeats = 4
            $0.failedGates = 2
            $0.tokensPerMinute = 1
        }
        for number in 1...9 { stage.summary(number, tokens: 5000, seconds: 60) }
        for _ in 0..<9 { stage.row("build.done") }
        await watch.step()
        stage.endFirstSight()
        stage.row("build.done")
        await watch.step()

        #expect(stage.told.isEmpty)
    }

    @Test func `gates that fail in a row are told, a gate that passes ends it`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.failedGates = 2 }
        for _ in 0..<3 {
            stage.row("review.done")
            await watch.step()
        }
        #expect(stage.told == ["gates_failing"])
        stage.row("review.done", "tests: pass, build: pass")
        stage.row("review.done")
        await watch.step()
        #expect(stage.told == ["gates_failing"])
        stage.row("review.done")
        await watch.step()
        #expect(stage.told == ["gates_failing", "gates_failing"])
    }

    @Test func `burning is told above its threshold, and again only after half of it`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch {
            $0.tokensPerMinute = 1000
            $0.stallSeconds = 0
        }
        stage.summary(1, tokens: 11_000, seconds: 60)
        await watch.step()
        #expect(stage.told == ["burning"])
        #expect(try stage.data()["tokens_per_minute"] as? Int ?? 0 > 1000)
        #expect(try stage.data()["window_minutes"] as? Int == 10)
        stage.summary(2, tokens: 11_000, seconds: 60)
        await watch.step()
        #expect(stage.told == ["burning"])

        stage.wait(660)
        await watch.step()
        stage.summary(3, tokens: 11_000, seconds: 60)
        await watch.step()
        #expect(stage.told == ["burning", "burning"])
    }

    @Test func `nothing is told where 0 is the threshold`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { settings in
            (settings.stallSeconds, settings.repeats, settings.failedGates) = (0, 0, 0)
            settings.tokensPerMinute = 0
        }
        stage.summary(1, tokens: 1_000_000_000, seconds: 60)
        for _ in 0..<20 { stage.row("review.done") }
        await watch.step()
        stage.wait(1_000_000)
        await watch.step()
        #expect(stage.told.isEmpty)
    }

    @Test func `a session tells so many signals in an hour and no more`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.repeats = 2 }
        for number in 0..<20 {
            for _ in 0..<3 { stage.row("t\(number)") }
            await watch.step()
            await watch.step()
        }
        #expect(stage.told.count == SentinelSettings.maximumPerHour)
        #expect(watch.suppressed.load(ordering: .relaxed) == 20 - SentinelSettings.maximumPerHour)
        stage.wait(3601)
        for _ in 0..<3 { stage.row("later") }
        await watch.step()
        #expect(stage.told.count == SentinelSettings.maximumPerHour + 1)
    }

    @Test func `what an earlier server told within the hour counts`() async throws {
        let stage = SentinelStage()
        func tell(_ numbers: Range<Int>) async {
            let watch = stage.watch { $0.repeats = 2 }
            stage.changes.add([SentinelStage.session])
            for number in numbers {
                for _ in 0..<2 { stage.row("t\(number)") }
                await watch.step()
                stage.wait(6)
            }
        }
        await tell(0..<8)
        await tell(8..<20)
        #expect(stage.told.count == SentinelSettings.maximumPerHour)
        stage.wait(3600)
        await tell(20..<22)
        #expect(stage.told.count == SentinelSettings.maximumPerHour + 2)
    }

    @Test func `a signal that was refused is told at the next look, once`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.repeats = 2 }
        stage.refuse(.busy)
        for count in [0, 0, 1, 1] {
            stage.row("a")
            await watch.step()
            #expect(stage.told.count == count)
        }
    }

    @Test func `refusals do not use up what a session may tell`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.repeats = 2 }
        for _ in 0...SentinelSettings.maximumPerHour {
            stage.refuse(.busy)
            stage.row("a")
            await watch.step()
        }
        stage.row("a")
        await watch.step()
        #expect(stage.told == ["repeating"])
        #expect(watch.suppressed.load(ordering: .relaxed) == 0)
    }

    @Test func `an end that waits to be stored is told once`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.tokensPerMinute = 1000 }
        stage.summary(1, tokens: 100_000, seconds: 60)
        await watch.step()
        #expect(stage.told == ["burning"])
        stage.keepNotes()
        for _ in 0..<5 {
            stage.wait(660)
            await watch.step()
        }
        #expect(stage.kept.count == 1)
    }

    @Test func `the service wakes when a silence is due`() async throws {
        let stage = SentinelStage()
        let watch = stage.watch { $0.stallSeconds = 12 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.run() }
            defer { group.cancelAll() }
            stage.row("a")
            try await eventually(within: .seconds(10), "a stall") {
                stage.wait(1)
                return stage.told.first == "stalled"
            }
        }
        #expect(stage.told.first == "stalled")
    }
}
