import Foundation
import RalphTestSupport

@testable import RalphSessions

/// Does random things to a session's files and tells what a read must then give.
final class TailModelRun {
    private(set) var history: [String] = []
    private let scene: SessionScene
    private var random: SeededRandom
    private var paths: [String: ModelPath] = [:]
    private var runs: [String] = []
    /// Whether the pointer also names runs again that it named before. In which order files are read is not told then.
    private let pointsBack: Bool
    private var touched: Set<String> = []
    /// Whether the touched files were only written to.
    private var hasOnlyGrown = true
    private var number = 0

    init(_ directory: TemporaryDirectory, _ random: SeededRandom, pointsBack: Bool) throws {
        var limits = TailLimits()
        limits.maximumLineBytes = 2000
        limits.readBytes = 700
        limits.watchedFiles = 10_000
        // The model does not know of time.
        limits.copyRest = .zero
        scene = try SessionScene(directory, limits: limits)
        self.random = random
        self.pointsBack = pointsBack
        scene.read()
        _ = try beginRun()
    }

    /// Does one thing; what it gave and what it must give are empty unless it was a read.
    func act() throws -> (expected: [String], given: [String]) {
        let name = random.below(4) == 0 ? runs[random.below(runs.count)] : runs[runs.count - 1]
        let choice = random.below(1000)
        switch choice {
        case ..<380: try write(name)
        case ..<430: try writeNoise(name)
        case ..<436: return try beginRun()
        case ..<439 where pointsBack: try pointBack()
        case ..<460: try truncate(name)
        case ..<480: return try truncateInPart(name)
        case ..<500: try replace(name)
        case ..<515: try delete(name)
        case ..<530: try moveAway(name)
        case ..<560: return try moveBack(name)
        case ..<580: restart()
        case ..<600: return crash()
        default: return read()
        }
        return ([], [])
    }

    // MARK: Reading

    private func read(keeps: Bool = true) -> (expected: [String], given: [String]) {
        let isFull = random.below(3) == 0
        note("read \(isFull ? "all" : "changed")")
        let expected = TailLine.topics(runs.flatMap { paths[$0]?.give() ?? [] })
        let budget = [200, 3000, 1 << 20][random.below(3)]
        let given = scene.read(
            changed: isFull ? nil : touched, isGrowth: hasOnlyGrown, budget: budget, keeps: keeps)
        touched = []
        hasOnlyGrown = true
        return pointsBack ? (expected.sorted(), given.sorted()) : (expected, given)
    }

    private func restart() {
        note("restart")
        for name in runs { paths[name]?.held = nil }
        scene.restart()
    }

    /// A read whose result is lost, and the same read again by a new tail.
    private func crash() -> (expected: [String], given: [String]) {
        if paths.values.contains(where: \.hangsOnDescriptor) { return read() }
        let (names, isGrowth) = (touched, hasOnlyGrown)
        let (expected, given) = read(keeps: false)
        note("crash")
        guard expected == given else { return (expected, given) }
        restart()
        scene.restart()
        (touched, hasOnlyGrown) = (names, isGrowth)
        let again = scene.read()
        for name in runs { _ = paths[name]?.give() }
        touched = []
        hasOnlyGrown = true
        return pointsBack ? (expected, again.sorted()) : (expected, again)
    }

    // MARK: Writing

    private func write(_ name: String) throws {
        let file = attached(name)
        note("write \(name)")
        var text = ""
        for _ in 0...random.below(3) { text += line(file) }
        try scene.append(name, text)
    }

    /// One more line, or the end of the last one.
    private func line(_ file: ModelFile) -> String {
        switch file.unfinished {
        case .torn(let number, let rest):
            file.unfinished = .none
            file.due.append(number)
            return rest + "\n"
        case .whole(let number):
            file.unfinished = .none
            if number >= 0 { file.due.append(number) }
            return random.below(2) == 0 ? "\n" : object(file) + "\n"
        case .none: break
        }
        switch random.below(8) {
        case 0:
            let text = TailLine.text(take())
            let cut = 1 + random.below(text.utf8.count - 1)
            file.unfinished = .torn(number: number, rest: String(text.dropFirst(cut)))
            return String(text.prefix(cut))
        case 1:
            file.unfinished = .whole(number: take())
            return TailLine.text(number)
        case 2: return object(file) + object(file) + "\n"
        default: return object(file) + "\n"
        }
    }

    private func object(_ file: ModelFile) -> String {
        file.due.append(take())
        return TailLine.text(number)
    }

    /// Lines that are no events.
    private func writeNoise(_ name: String) throws {
        let file = attached(name)
        guard case .none = file.unfinished else { return }
        note("noise \(name)")
        let isLong = size(name) > 64
        switch random.below(5) {
        case 0: try scene.append(name, "\n")
        case 1: try scene.append(name, " \t\r\n")
        case 2: try scene.append(name, "\0\0\0\n")
        case 3:
            try scene.append(name, String(repeating: "\0", count: isLong ? 6000 : 3) + object(file) + "\n")
        default: try scene.append(name, "\(take())" + String(repeating: "x", count: 2500) + "\n")
        }
    }

    // MARK: Harming

    /// A run begins: its file is there before the next read, or at least its name is known to the tail.
    private func beginRun() throws -> (expected: [String], given: [String]) {
        let name = "events-20260101-\(String(100_000 + runs.count)).jsonl"
        note("begin \(name)")
        runs.append(name)
        paths[name] = ModelPath()
        touched.insert("current-events")
        hasOnlyGrown = false
        try scene.point(at: name)
        if random.below(2) == 0 { return read() }
        try write(name)
        return ([], [])
    }

    /// The pointer names a run again that it named before, be its file there or not.
    private func pointBack() throws {
        let name = runs[random.below(runs.count)]
        note("point back at \(name)")
        touched.insert("current-events")
        hasOnlyGrown = false
        try scene.point(at: name)
    }

    private func truncate(_ name: String) throws {
        guard let file = paths[name]?.file else { return }
        note("truncate \(name)")
        file.empty()
        touch(name)
        guard Foundation.truncate(scene.path(name), 0) == 0 else { throw POSIXError(.EIO) }
    }

    /// Cuts off lines that were read.
    private func truncateInPart(_ name: String) throws -> (expected: [String], given: [String]) {
        let (expected, given) = read()
        guard expected == given, let file = paths[name]?.file, let end = try endOfLines(name), end > 64 else {
            return (expected, given)
        }
        let cut = 64 + random.below(end - 64)
        note("truncate \(name) to \(cut)")
        file.empty()
        touch(name)
        guard Foundation.truncate(scene.path(name), off_t(cut)) == 0 else { throw POSIXError(.EIO) }
        let all = given + read().given
        return (expected, pointsBack ? all.sorted() : all)
    }

    private func replace(_ name: String) throws {
        note("replace \(name)")
        let file = ModelFile()
        try scene.write("new", object(file) + "\n" + (random.below(2) == 0 ? "" : object(file) + "\n"))
        guard rename(scene.path("new"), scene.path(name)) == 0 else { throw POSIXError(.EIO) }
        paths[name]?.begin(file)
        touch(name, isGrowth: false)
    }

    private func delete(_ name: String) throws {
        guard let path = paths[name], path.file != nil, path.wasSeen else { return }
        note("delete \(name)")
        paths[name]?.file = nil
        touch(name, isGrowth: false)
        unlink(scene.path(name))
    }

    private func moveAway(_ name: String) throws {
        guard let path = paths[name], let file = path.file, path.away == nil, path.wasSeen else { return }
        note("move away \(name)")
        paths[name]?.file = nil
        paths[name]?.away = file
        touch(name, isGrowth: false)
        rename(scene.path(name), scene.path(name + ".away"))
    }

    /// Moves or copies it back, if its place is free.
    private func moveBack(_ name: String) throws -> (expected: [String], given: [String]) {
        guard let file = paths[name]?.away, paths[name]?.file == nil else { return ([], []) }
        note("move back \(name)")
        paths[name]?.file = file
        paths[name]?.away = nil
        touch(name, isGrowth: false)
        let away = scene.path(name + ".away")
        guard random.below(2) == 0 else {
            rename(away, scene.path(name))
            return ([], [])
        }
        try FileManager.default.copyItem(atPath: away, toPath: scene.path(name))
        unlink(away)
        // Read at once: what is written from now on is in the copy, not in what the tail has open.
        paths[name]?.isCopy = true
        return read()
    }

    // MARK: Bookkeeping

    private func attached(_ name: String) -> ModelFile {
        touch(name)
        if let file = paths[name]?.file { return file }
        hasOnlyGrown = false
        let file = ModelFile()
        paths[name]?.begin(file)
        return file
    }

    private func take() -> Int {
        number += 1
        return number
    }

    /// Behind the last LF.
    private func endOfLines(_ name: String) throws -> Int? {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scene.path(name)))
        return bytes.lastIndex(of: 0x0A).map { $0 + 1 }
    }

    private func size(_ name: String) -> Int { EntryStatus(at: scene.path(name)).map { Int($0.size) } ?? 0 }

    private func touch(_ name: String, isGrowth: Bool = true) {
        touched.insert(name)
        hasOnlyGrown = hasOnlyGrown && isGrowth
    }

    private func note(_ action: String) {
        history.append(action)
        if history.count > 40 { history.removeFirst(20) }
    }
}
