import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventFeedTests {
    @Test func `numbers are contiguous per session and ascend over all of them`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(3), to: 1), append(batch(2), to: 2)])
                try feed.append([append(batch(1), to: 1), append(batch(1), to: 1)])

                #expect(try feed.stored(session(1), after: 0, limit: 100).seqs == [1, 2, 3, 4, 5])
                #expect(try feed.stored(session(1), after: 0, limit: 100).globalIDs == [1, 2, 3, 6, 7])
                #expect(try feed.stored(session(2), after: 1, limit: 100).seqs == [2])
                #expect(feed.globalHead == 7)
                #expect(feed.head(of: session(1))?.last == 5)
                #expect(feed.head(of: session(3)) == nil)
            }
        }
    }

    @Test func `a frame is the documented text`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(12))])

                let recent = feed.recent(session(1), after: 0, limitBytes: .max)
                let block = try #require(recent.slices.first?.block)
                let json = """
                    {"id":"evt_0000000000000001-12","seq":12,"session_id":"0000000000000001",\
                    "type":"event.published","topic":"build.done","payload":"11"}
                    """
                let frame = "id: 12\nevent: workflow\ndata: \(json)\n\n"
                #expect(String(decoding: block.bytes(from: 11, to: 12), as: UTF8.self) == frame)
                #expect(String(decoding: block.json(at: 11), as: UTF8.self) == json)
                let entry = block.entries[11]
                #expect(String(decoding: block.bytes[entry.topic], as: UTF8.self) == "build.done")
            }
        }
    }

    @Test func `one event of memory is given without waiting for the tables`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(settings(directory), logger: Logger(label: "test"))
            defer { feed.close() }
            // The tables may be written meanwhile, for another reason, but not each time.
            try await eventually(within: .seconds(20), "an event that only memory has") {
                try feed.append([append(batch(1))])
                let last = try #require(feed.head(of: session(1))?.last)
                #expect(try feed.event(last, of: session(1))?.firstSeq == last)
                return try directory.integer("SELECT max(seq) FROM event") ?? 0 < last
            }
        }
    }

    @Test func `one event is given from memory or the tables while its ring has it`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { try $0.append([append(batch(150))]) }
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(5), to: 2), append(batch(5))])
                let seqs: [Int64] = [0, 55, 56, 150, 151, 155, 156]
                let found = try seqs.map { try feed.event($0, of: session(1)) }
                #expect(found.map { $0?.firstSeq } == [nil, nil, 56, 150, 151, 155, nil])
                #expect(found.allSatisfy { $0?.count ?? 1 == 1 })
                #expect(try feed.event(155, of: session(1))?.firstGlobalID == feed.globalHead)
                #expect(try feed.event(1, of: session(3)) == nil)
            }
        }
    }

    @Test(arguments: [1, 2, 99, 100, 101, 250])
    func `memory and store give the same bytes`(perAppend: Int) async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for round in 0..<300 / perAppend + 1 {
                    try feed.append([append(batch(perAppend, first: round), to: 1), append(batch(1), to: 2)])
                }

                let head = try #require(feed.head(of: session(1)))
                let stored = try feed.stored(session(1), after: 0, limit: 1000)
                #expect(stored.seqs == Array(head.last - 99...head.last))
                #expect(head.firstKept == head.last - 99)
                let newest = feed.recent(session(1), after: head.last - 100, limitBytes: .max)
                #expect(stored.bytes == newest.bytes)
                let all = try allGlobal(feed)
                let recent = feed.recentGlobal(after: feed.globalHead - 60, limitBytes: .max)
                #expect(all.globalIDs == all.globalIDs.sorted())
                #expect(all.bytes.suffix(recent.bytes.count) == recent.bytes[...])
            }
        }
    }

    @Test func `of a batch larger than the ring all is published and the newest stored`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(5)), append(batch(1234)), append(batch(2), to: 2)])

                #expect(feed.recent(session(1), after: 0, limitBytes: .max).slices.last?.lastSeq == 1239)
                #expect(try feed.stored(session(1), after: 0, limit: 5000).seqs == Array(1140...1239))
                #expect(try allGlobal(feed).globalIDs == Array(1140...1241))
                let segments = try feed.archiveSegments(session(1), from: 1, through: 2000)
                #expect(segments.map(\.count).reduce(0, +) == 1239)
            }
        }
    }

    @Test func `a sink gets every block in order when it is in memory already`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let sink = RecordingSink(feed)
                feed.addSink(sink)
                for round in 0..<50 {
                    try feed.append([append(batch(round % 4), to: 1), append(batch(3), to: 2)])
                }

                #expect(sink.globalIDs == Array(1...feed.globalHead))
                #expect(sink.wasAlwaysInMemory)
            }
        }
    }

    @Test(arguments: [0, 1, 99, 1_000_001, -1])
    func `a ring out of its bounds is refused`(ring: Int) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = ring
            #expect(throws: StoreError.self) { try EventFeed(configuration, logger: Logger(label: "test")) }
        }
    }
}
