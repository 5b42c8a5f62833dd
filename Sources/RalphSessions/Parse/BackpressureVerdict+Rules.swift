/// Ralph's own rules for accepting evidence (contract 2.7): text markers in the payload.
extension BackpressureVerdict {
    /// The verdict that Ralph reaches, or `nil` for a topic that it does not check.
    ///
    /// - Parameter payload: all of it, as UTF-8.
    init?(_ kind: EngineLine.Kind, payload: [UInt8], at time: Int64, iteration: Int) {
        switch kind {
        case .buildDone:
            topic = "build.done"
            checks = Self.buildChecks(Evidence(payload))
        case .reviewDone:
            topic = "review.done"
            let evidence = Evidence(payload)
            checks = ["tests": evidence.says("tests: pass"), "build": evidence.says("build: pass")]
        case .verifyPassed:
            topic = "verify.passed"
            checks = Self.qualityChecks(Evidence(payload))
        default: return nil
        }
        isPassed = !checks.values.contains(false)
        at = time
        self.iteration = iteration
    }

    private static let markers: [(name: String, marker: StaticString)] = [
        ("tests", "tests: pass"), ("lint", "lint: pass"), ("typecheck", "typecheck: pass"),
        ("audit", "audit: pass"), ("coverage", "coverage: pass"),
    ]
    private static let buildHeads = ["complexity", "duplication", "performance", "perf", "specs"]
        .map(Evidence.Head.init)

    /// Of several segments with one name the first counts.
    private static func buildChecks(_ evidence: Evidence) -> [String: Bool] {
        var checks: [String: Bool] = [:]
        checks.reserveCapacity(markers.count + buildHeads.count)
        for (name, marker) in markers { checks[name] = evidence.says(marker) }
        let segments = evidence.segments(buildHeads, keeping: .first)
        checks["complexity"] = (segments["complexity"]?.firstNumber ?? .infinity) <= 10
        checks["duplication"] = segments["duplication"]?.says("duplication: pass") == true
        let performances = [segments["performance"], segments["perf"]].compactMap(\.self)
        let performance = performances.min { $0.start < $1.start }
        checks["performance"] = performance.map { !$0.says("regression") && !$0.says("fail") } ?? true
        checks["specs"] = segments["specs"].map { $0.says("specs: pass") || !$0.says("specs: fail") } ?? true
        return checks
    }

    private static let qualityHeads = [
        "tests", "lint", "audit", "coverage", "mutation", "complexity", "specs",
    ]
    .map { Evidence.Head("quality." + $0) }

    /// Of several segments with one name the last counts.
    private static func qualityChecks(_ evidence: Evidence) -> [String: Bool] {
        let segments = evidence.segments(qualityHeads, keeping: .last)
        var checks: [String: Bool] = [:]
        for name in ["tests", "lint", "audit"] {
            checks[name] = segments["quality." + name]?.says("pass") == true
        }
        checks["coverage"] = (segments["quality.coverage"]?.percentage ?? 0) >= 80
        checks["mutation"] = (segments["quality.mutation"]?.percentage ?? 0) >= 70
        checks["complexity"] = (segments["quality.complexity"]?.firstNumber ?? .infinity) <= 10
        checks["specs"] = segments["quality.specs"].map { $0.says("pass") || !$0.says("fail") } ?? true
        return checks
    }
}
