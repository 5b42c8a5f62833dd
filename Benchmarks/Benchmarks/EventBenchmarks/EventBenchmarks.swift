import Benchmark

/// What is measured of the way of an event; a claim about speed names one of these.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .peakMemoryResident], maxDuration: .seconds(3))

    for size in [1, 1000] {
        Benchmark("line to stored event, \(size) in a transaction") { benchmark in
            let lines = try EventsFile(lines: size)
            defer { lines.remove() }
            for _ in benchmark.scaledIterations {
                try lines.write()
                benchmark.startMeasurement()
                blackHole(try lines.readAndStore())
                benchmark.stopMeasurement()
            }
        }
    }

    for readers in [1, 100, 1000] {
        Benchmark(
            "append one event and read it with \(readers) cursors",
            configuration: .init(
                metrics: [.wallClock, .throughput, .peakMemoryResident], scalingFactor: .kilo,
                maxDuration: .seconds(3))
        ) { benchmark in
            let fixture = try Fixture()
            defer { fixture.remove() }
            var cursors = (0..<readers).map { _ in
                Cursor(feed: fixture.feed, session: fixture.session, seq: 0)
            }
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                try fixture.append(1)
                for index in cursors.indices { blackHole(try cursors[index].readOn()) }
            }
            benchmark.stopMeasurement()
        }
    }

    for (place, memory) in [("memory", 64 << 20), ("the store", 64 << 10)] {
        Benchmark("replay 10 000 events from \(place)") { benchmark in
            let fixture = try Fixture(ring: 10_000, memoryBytes: memory)
            defer { fixture.remove() }
            for _ in 0..<10 { try fixture.append(1000) }
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                var cursor = Cursor(feed: fixture.feed, session: fixture.session, seq: 0)
                blackHole(try cursor.readOn())
            }
            benchmark.stopMeasurement()
        }
    }
}
