import Foundation
import RalphTestSupport
import Testing

/// Everything that fuzzing found worth keeping, and variations of it, without a sanitizer and in seconds.
@Suite(.timeLimit(.minutes(5))) struct FuzzCorpusTests {
    /// Variations of each target's corpus.
    private static let variations = 2000

    @Test(arguments: FuzzTarget.allCases)
    func `every input of a corpus keeps the promises of its target`(_ target: FuzzTarget) throws {
        let corpus = try corpus(of: target)

        #expect(!corpus.isEmpty)
        for (name, bytes) in corpus { expectKept(target, bytes, "input \(name)") }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `so do variations of these inputs`(_ target: FuzzTarget) throws {
        let given = ProcessInfo.processInfo.environment["RALPH_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? 20_261_121
        var mutation = InputMutation(seed: seed)
        let corpus = try corpus(of: target).map(\.bytes)
        for round in 0..<Self.variations {
            expectKept(target, mutation.variation(of: corpus), "seed \(seed), round \(round)")
        }
    }

    private func expectKept(_ target: FuzzTarget, _ bytes: [UInt8], _ place: String) {
        do throws(FuzzFinding) {
            try target.run(bytes)
        } catch {
            Issue.record("\(target.rawValue), \(place): \(error.text)\n\(Data(bytes).base64EncodedString())")
        }
    }

    private func corpus(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = Samples.packageRoot + "/Tests/Fuzzing/corpus/" + target.rawValue
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            (name, try Array(Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))))
        }
    }
}
