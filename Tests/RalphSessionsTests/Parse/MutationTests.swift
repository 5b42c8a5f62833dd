import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    private static let splinters: [[UInt8]] = [
        [0xFF], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0], [0x0D], Array(#"\ud800"#.utf8), Array(#"\u"#.utf8),
        Array("{".utf8), Array("}".utf8), Array("\"".utf8), Array("[[[".utf8), Array(",".utf8),
        Array("1e400".utf8), Array(":null".utf8), Array("9999999999999999999".utf8), [0xF0, 0x9F],
        Array(#","topic":{}"#.utf8), Array(#","iteration":0,"hat":"loop""#.utf8), Array("\\".utf8),
    ]

    @Test func `damaged lines never trap and always give one line of JSON`() throws {
        let given = ProcessInfo.processInfo.environment["RALPH_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? 20_261_121
        var dice = SeededGenerator(seed: seed)
        let paths = Samples.eventsFiles + Samples.outputFiles
        let lines = try paths.flatMap { try Samples.bytes($0).split(separator: 10).map(Array.init) }
        var reading = Reading(config: "hats: {builder: {triggers: ['slice.*']}}")
        for round in 0..<24_000 {
            let line = mutate(lines.randomElement(using: &dice) ?? [], lines, &dice)
            line.withUnsafeBytes { bytes in
                if round % 2 == 0 {
                    reading.narrator.readEngineLine(
                        bytes, file: "e", generation: 0, offset: 0, fileTime: 0, into: &reading.batch)
                } else {
                    reading.narrator.readAgentLine(
                        bytes, file: "agent:a", generation: 0, offset: 0, fileTime: 0, into: &reading.batch)
                    if round % 7 == 0 { reading.narrator.finishAgentRead(into: &reading.batch) }
                }
            }
            for text in reading.texts {
                #expect((try? decode(text)) != nil, "seed \(seed), round \(round): \(text)")  // reported here
                #expect(!text.utf8.contains { $0 < 0x20 }, "seed \(seed), round \(round)")
            }
            reading.batch = EventBatch()
        }
    }

    private func mutate(_ line: [UInt8], _ lines: [[UInt8]], _ dice: inout SeededGenerator) -> [UInt8] {
        var line = line
        for _ in 0..<Int.random(in: 0...3, using: &dice) where !line.isEmpty {
            let place = Int.random(in: 0..<line.count, using: &dice)
            switch Int.random(in: 0..<5, using: &dice) {
            case 0: line[place] = UInt8.random(in: 0...255, using: &dice)
            case 1: line.remove(at: place)
            case 2: line.insert(contentsOf: Self.splinters.randomElement(using: &dice) ?? [], at: place)
            case 3: line.removeSubrange(place...)
            default: line.insert(contentsOf: lines.randomElement(using: &dice) ?? [], at: place)
            }
        }
        return line.filter { $0 != 10 }
    }
}
