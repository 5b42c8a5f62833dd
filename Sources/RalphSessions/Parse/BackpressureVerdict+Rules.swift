/// Ralph's own rules for accepting evidence (contract 2.7): text markers in the payload.
extension BackpressureVerdict {
    /// The verdict that Ralph reaches, or `nil` for a topic that it does not check.
    init?(_ kind: EngineLine.Kind, payload: String, at time: Int64, iteration: Int) {
        let text = String(decoding: TerminalOutput.plain(Array(payload.utf8)), as: UTF8.self)
        let evidence = Evidence(text: text)
        switch kind {
        case .buildDone:
            topic = "build.done"
            checks = evidence.buildChecks
        case .reviewDone:
            topic = "review.done"
            checks = ["tests": evidence.says("tests: pass"), "build": evidence.says("build: pass")]
        case .verifyPassed:
            topic = "verify.passed"
            checks = evidence.qualityChecks
        default: return nil
        }
        isPassed = !checks.values.contains(false)
        at = time
        self.iteration = iteration
    }

    private struct Evidence {
        let text: String

        func says(_ marker: String) -> Bool { text.contains(marker) }

        /// What stands behind `name:` in a segment between commas and line ends, trimmed, lower case.
        func value(_ names: String...) -> String? {
            for segment in text.split(whereSeparator: { $0 == "," || $0.isNewline }) {
                let plain = segment.lowercased().drop { $0 == " " }
                for name in names where plain.hasPrefix(name + ":") {
                    return plain.dropFirst(name.count + 1).split(separator: " ").joined(separator: " ")
                }
            }
            return nil
        }

        private func number(_ names: String...) -> Double? {
            guard let value = names.lazy.compactMap({ self.value($0) }).first else { return nil }
            return Double(value.prefix { $0.isNumber || $0 == "." })
        }

        var buildChecks: [String: Bool] {
            var checks: [String: Bool] = [:]
            for name in ["tests", "lint", "typecheck", "audit", "coverage"] {
                checks[name] = says(name + ": pass")
            }
            checks["complexity"] = (number("complexity") ?? .infinity) <= 10
            checks["duplication"] = value("duplication")?.hasPrefix("pass") == true
            let performance = value("performance", "perf") ?? ""
            checks["performance"] = !performance.hasPrefix("regression") && !performance.hasPrefix("fail")
            checks["specs"] = value("specs")?.hasPrefix("fail") != true
            return checks
        }

        var qualityChecks: [String: Bool] {
            var checks: [String: Bool] = [:]
            for name in ["tests", "lint", "audit"] {
                checks[name] = value("quality." + name)?.hasPrefix("pass") == true
            }
            checks["coverage"] = (number("quality.coverage") ?? 0) >= 80
            checks["mutation"] = (number("quality.mutation") ?? 0) >= 70
            checks["complexity"] = (number("quality.complexity") ?? .infinity) <= 10
            checks["specs"] = value("quality.specs")?.hasPrefix("fail") != true
            return checks
        }
    }
}
