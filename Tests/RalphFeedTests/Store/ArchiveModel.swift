import RalphFeed
import RalphTestSupport
import RalphWire

/// Where every event of one session lies, one by one, and files that grow by objects of 100 bytes.
struct ArchiveModel {
    struct Place: Equatable {
        var context: EventBatch.Context?
        var offset: Int64
    }

    private(set) var places: [Place] = []
    private var lengths: [String: Int64] = [:]
    private var iteration = 1
    /// How many files of each letter are gone; the next one has another name.
    private var removed: [String: Int] = [:]

    /// Up to 40 events: of files that change now and then, with iterations that go on, and of the server.
    mutating func randomBatch(_ random: inout SeededGenerator) -> EventBatch {
        var batch = EventBatch()
        var file = ["a", "b"][Int.random(in: 0...1, using: &random)]
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: file = ["a", "b", "c"][Int.random(in: 0...2, using: &random)]
            case 1: iteration += 1
            case 2, 3:
                batch.add(payload: "ours", place: nil)
                places.append(Place(context: nil, offset: -1))
                continue
            default: break
            }
            let name = file + String(removed[file] ?? 0)
            let context = EventBatch.Context(file: name, generation: 0, iteration: iteration, hat: "")
            let offset = lengths[name, default: 0]
            lengths[name] = offset + 100
            batch.add(payload: "x", place: (offset, batch.contextIndex(context)))
            places.append(Place(context: context, offset: offset))
        }
        return batch
    }

    /// Takes one of the files away for good, and gives its name.
    mutating func removeFile(_ random: inout SeededGenerator) -> String {
        let file = ["a", "b", "c"][Int.random(in: 0...2, using: &random)]
        let name = file + String(removed[file] ?? 0)
        removed[file, default: 0] += 1
        for index in places.indices where places[index].context?.file == name {
            places[index] = Place(context: nil, offset: -1)
        }
        return name
    }

    /// The numbers of the first events of all files, ascending.
    var beginnings: [Int64] {
        var seen: Set<String> = []
        return places.indices.filter { index in
            places[index].context.map { seen.insert($0.file).inserted } ?? false
        }.map { Int64($0) + 1 }
    }

    /// Whether reading `segments` one object of 100 bytes after the other gives `from ... through`.
    func agrees(_ segments: [ArchiveSegment], _ from: Int64, _ through: Int64) -> Bool {
        var found: [Place] = []
        for segment in segments {
            guard segment.count > 0 else { return false }
            if let first = segments.first, segment.seq != first.seq + Int64(found.count) { return false }
            for index in 0..<segment.count {
                let offset = segment.context == nil ? -1 : segment.offset + 100 * index
                found.append(Place(context: segment.context, offset: offset))
            }
        }
        guard let start = segments.first?.seq, start <= from else { return false }
        let end = min(through, Int64(places.count))
        return found == Array(places[Int(start - 1)..<Int(end)])
    }
}
