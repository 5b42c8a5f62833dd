import Testing

@Suite struct PayloadEvidenceTests {
    private static let build =
        "tests: pass, lint: pass, typecheck: pass, audit: pass, coverage: pass, complexity: 6, "
        + "duplication: pass"
    private static let verify =
        "quality.tests: pass, quality.lint: pass, quality.audit: pass, quality.coverage: 84%, "
        + "quality.mutation: 75%, quality.complexity: 7"

    @Test(arguments: [
        ("build.done", build), ("build.done", build + ", CSV export"),
        ("review.done", "tests: pass\nbuild: pass"),
        ("verify.passed", verify), ("anything.else", ""),
    ])
    func `complete evidence is accepted`(_ topic: String, _ payload: String) {
        #expect(PayloadEvidence.accepts(topic, payload))
    }

    @Test(arguments: [
        ("build.done", ""), ("build.done", "tests: pass"),
        ("build.done", build.replacing("lint: pass", with: "lint: fail")),
        ("build.done", build.replacing("complexity: 6", with: "complexity: 11")),
        ("build.done", build.replacing(", duplication: pass", with: "")), ("review.done", "tests: pass"),
        ("verify.passed", verify.replacing("84%", with: "79%")),
        ("verify.passed", verify.replacing("75%", with: "69%")),
        ("verify.passed", verify.replacing("quality.audit: pass, ", with: "")),
    ])
    func `evidence that lacks a part is not`(_ topic: String, _ payload: String) {
        #expect(!PayloadEvidence.accepts(topic, payload))
    }

    @Test func `the example is the first text in backticks that would be accepted`() {
        let text = "`review.done` with `tests: pass` or rather `tests: pass, build: pass`."

        #expect(PayloadEvidence.example(of: "review.done", in: text) == "tests: pass, build: pass")
        #expect(PayloadEvidence.example(of: "build.done", in: text) == nil)
    }
}
