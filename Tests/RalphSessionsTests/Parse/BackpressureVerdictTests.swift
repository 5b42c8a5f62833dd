import RalphWire
import Testing

@testable import RalphSessions

/// What a real Ralph decides on the same payloads (contract 2.7).
@Suite struct BackpressureVerdictTests {
    private static let passes = "tests: pass, lint: pass, typecheck: pass, audit: pass, coverage: pass"

    /// The verdict on an events file's row with this payload, which is JSON.
    private func verdict(_ topic: String, json: String) throws -> BackpressureVerdict {
        var reading = Reading()
        reading.engine(#"{"payload":\#(json),"topic":"\#(topic)","ts":"2026-11-21T03:20:36Z"}"# + "\n")
        return try #require(reading.narrator.state.backpressure)
    }

    private func verdict(_ topic: String, _ payload: String) throws -> BackpressureVerdict {
        var json: [UInt8] = []
        JSONText.appendString(payload, to: &json)
        return try verdict(topic, json: String(decoding: json, as: UTF8.self))
    }

    private func failures(_ verdict: BackpressureVerdict) -> [String] {
        verdict.checks.filter { !$0.value }.keys.sorted()
    }

    @Test(arguments: [
        // The first number of the segment.
        ("complexity: 7, duplication: pass", []), ("complexity: 7., duplication: pass", []),
        ("complexity: max 7, duplication: pass", []), ("complexity: <=8, duplication: pass", []),
        ("complexity: low (4), duplication: pass", []), ("complexity: \u{2264} 8, duplication: pass", []),
        ("complexity:10.0, duplication: pass", []), ("complexity: 7/10, duplication: pass", []),
        ("complexity: 10.5, duplication: pass", ["complexity"]),
        ("complexity: low, duplication: pass", ["complexity"]),
        ("complexity: 1.2.3, duplication: pass", ["complexity"]),
        ("complexity: \u{0667}, duplication: pass", ["complexity"]),
        ("duplication: pass", ["complexity"]),
        // Any case, any white space before it, the first of its name.
        ("\tcomplexity: 7, duplication: pass", []), ("\u{3000}\u{85} COMPLEXITY: 7, duplication: PASS", []),
        ("complexity: 7, complexity: 11, duplication: pass", []),
        ("complexity: 11, complexity: 7, duplication: pass", ["complexity"]),
        ("complexity: x\r\n, complexity: 7, duplication: pass", ["complexity"]),
        ("\u{200B}complexity: 7, duplication: pass", ["complexity"]),
        ("max complexity: 7, duplication: pass", ["complexity"]),
        ("complexity: 7; duplication: pass", ["duplication"]),
        ("complexity: 7\rduplication: pass", ["duplication"]),
        // Literally so.
        ("complexity: 7, duplication:pass", ["duplication"]),
        ("complexity: 7, duplication: none, duplication: pass", ["duplication"]),
        ("complexity: 7, duplication: pass, specs:fail", []),
        ("complexity: 7, duplication: pass, specs: 2 failed", []),
        ("complexity: 7, duplication: pass, specs: failed", ["specs"]),
        ("complexity: 7, duplication: pass, specs: pass; specs: fail", []),
        ("complexity: 7, duplication: pass, specs: pass, specs: fail", []),
        // These words, wherever they stand.
        ("complexity: 7, duplication: pass, performance: no regression", ["performance"]),
        ("complexity: 7, duplication: pass, performance: 2% regression", ["performance"]),
        ("complexity: 7, duplication: pass, perf: tests fail", ["performance"]),
        ("complexity: 7, duplication: pass, performance: slower", []),
        ("complexity: 7, duplication: pass, perf: ok, performance: FAIL", []),
        ("complexity: 7, duplication: pass, Perf: Fail, performance: ok", ["performance"]),
    ]) func `segments of build.done`(claims: String, failures: [String]) throws {
        let verdict = try verdict("build.done", "\(Self.passes), \(claims)")

        #expect(self.failures(verdict) == failures && verdict.isPassed == failures.isEmpty)
    }

    @Test(arguments: [
        ("tests: pass, build: pass", []), ("all tests: passed\nnew build: passing", []),
        ("tests: pass\u{301} and build: pass", []), ("Tests: pass, build:pass", ["build", "tests"]),
        ("", ["build", "tests"]),
        // Of escape sequences Ralph knows CSI, OSC, and ESC with one byte; controls stay.
        ("tests: \u{1B}[1;32mpass\u{1B}[0m, build\u{1B}]0;x\u{7}:\u{1B}]8;;\u{1B}\\ pass", []),
        ("tests: \u{1B}7pass, build: \u{1B}(Bpass", ["build"]), ("tests:\u{0} pass, build: pass", ["tests"]),
        ("build: pass\u{1B}[, tests: pass", ["tests"]), ("build: pass\u{1B}], tests: pass", ["tests"]),
        ("build: pass, tests: pass\u{1B}", []),
    ]) func `markers of review.done`(payload: String, failures: [String]) throws {
        #expect(try self.failures(verdict("review.done", payload)) == failures)
    }

    @Test(arguments: [
        ("", []), ("quality.tests: all passed", []), ("QUALITY.LINT:PASS", []),
        ("quality.tests: 2 failed, 8 passed", ["tests"]), ("quality.tests: 2 failed; 8 passed", []),
        ("quality.audit: fine", ["audit"]),
        // The last of its name.
        ("quality.lint: fail", ["lint"]), ("quality.lint: fail\nquality.lint: pass", []),
        ("quality.mutation: 60%\n\tquality.mutation: 70%", []), ("quality.mutation:", ["mutation"]),
        // The number before the first per cent sign, else the first one.
        ("quality.coverage: lines 82%", []), ("quality.coverage: 123/150 (82%)", []),
        ("quality.coverage: 90 (79.9%)", ["coverage"]), ("quality.coverage: 60% of 99%", ["coverage"]),
        ("quality.coverage: 85 %", []), ("quality.coverage: 81 (.%)", []), ("quality.coverage: 80", []),
        ("quality.coverage: 1.2.3% 90", ["coverage"]), ("quality.coverage: .9%", ["coverage"]),
        ("quality.coverage: 79.99999999999999999%", []), ("quality.complexity: <=8", []),
        ("quality.complexity: 12%", ["complexity"]),
        ("quality.specs: 2 failed", ["specs"]), ("quality.specs: 1 failed; 2 passed", []),
        ("quality.specs: unknown", []),
    ]) func `segments of verify.passed`(claims: String, failures: [String]) throws {
        let good = """
            quality.tests: pass, quality.lint: pass, quality.audit: pass, quality.coverage: 82%
            quality.mutation: 71%, quality.complexity: 7
            """
        let verdict = try verdict("verify.passed", "\(good)\n\(claims)")

        #expect(self.failures(verdict) == failures && verdict.isPassed == failures.isEmpty)
    }

    @Test func `nothing is needed but specs`() throws {
        let verdict = try verdict("verify.passed", json: "null")

        #expect(
            failures(verdict) == ["audit", "complexity", "coverage", "lint", "mutation", "tests"]
                && verdict.checks["specs"] == true)
    }

    @Test func `numbers beyond a double are infinite`() throws {
        let nines = String(repeating: "9", count: 400)
        let build = try verdict("build.done", "\(Self.passes), complexity: \(nines), duplication: pass")
        let quality = try verdict("verify.passed", "quality.coverage: \(nines)%, quality.mutation: \(nines)")

        #expect(failures(build) == ["complexity"])
        #expect(quality.checks["coverage"] == true && quality.checks["mutation"] == true)
    }

    @Test func `evidence stands anywhere in a long payload`() throws {
        let text = String(repeating: "x", count: 900_000) + "\n"
        let build = try verdict("build.done", text + Self.passes + ", complexity: 7, duplication: pass")
        let review = try verdict("review.done", text + "tests: pass, build: pass")
        let object = try verdict("review.done", json: #"["\#(text.dropLast())","tests: pass, build: pass"]"#)

        #expect(build.isPassed && review.isPassed && object.isPassed)
    }

    /// Ralph writes such a payload anew: no spaces between tokens, members by name, the last of each name.
    @Test(arguments: [
        (#"{"tests": "pass", "build": "pass"}"#, ["complexity", "duplication"]),
        (#"{"a":", duplication: pass, complexity: \u2264 8"}"#, []),
        (#"{"b":", complexity: 11,", "a":", complexity: 7, duplication: pass"}"#, []),
        (#"{"a":", complexity: 11,", "\u0061":", complexity: 7, duplication: pass"}"#, []),
        (#"{"a":"\ncomplexity: 7\nduplication: pass"}"#, ["complexity", "duplication"]),
        (#"[", complexity:\b7", [[], {}, ", duplication: pass", true, 1]]"#, []),
        (#"{", duplication: pass, complexity:" : 7}"#, []), ("12", ["complexity", "duplication"]),
    ]) func `a payload may be any JSON`(payload: String, failures: [String]) throws {
        let verdict = try verdict("build.done", json: payload)

        #expect(self.failures(verdict).filter { ["complexity", "duplication"].contains($0) } == failures)
    }
}
