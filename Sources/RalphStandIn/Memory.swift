/// One entry of `agent/memories.md` (contract 6.3).
struct Memory {
    /// Its section.
    enum Kind: String, CaseIterable {
        case pattern, decision, fix, context

        /// The heading.
        var section: String {
            switch self {
            case .pattern: "Patterns"
            case .decision: "Decisions"
            case .fix: "Fixes"
            case .context: "Context"
            }
        }
    }

    let id: String
    let kind: Kind
    let content: String
    let tags: [String]
    /// `YYYY-MM-DD`.
    let created: String

    /// As it stands in the file.
    var block: String {
        let lines = content.split(separator: "\n", omittingEmptySubsequences: false).map { "> " + $0 }
        return "\n### \(id)\n\(lines.joined(separator: "\n"))\n"
            + "<!-- tags: \(tags.joined(separator: ", ")) | created: \(created) -->\n"
    }

    var json: JSONValue {
        .object([
            JSONMember("id", .string(id)), JSONMember("type", .string(kind.rawValue)),
            JSONMember("content", .string(content)),
            JSONMember("tags", .array(tags.map { .string($0) })), JSONMember("created", .string(created)),
        ])
    }

    /// The entries of a text. What is no entry is left out; an entry without `> ` lines is none.
    static func parse(_ text: String) -> [Memory] {
        var memories: [Memory] = []
        var kind = Kind.pattern
        var (id, content, tags, created): (String?, [String], [String], String?) = (nil, [], [], nil)
        func finish() {
            if let id, !content.isEmpty {
                memories.append(
                    Memory(
                        id: id, kind: kind, content: content.joined(separator: "\n"), tags: tags,
                        created: created ?? Moment().day))
            }
            (id, content, tags, created) = (nil, [], [], nil)
        }
        for line in TextFile.lines(of: text) {
            if let section = line.wholeMatch(of: #/## (Patterns|Decisions|Fixes|Context).*/#) {
                finish()
                kind = Kind.allCases.first { $0.section == section.1 } ?? .pattern
            } else if let heading = line.prefixMatch(of: #/### (mem-\d+-[0-9a-f]{4})/#) {
                finish()
                id = String(heading.1)
            } else if let quote = line.wholeMatch(of: #/> (.+)/#) {
                content.append(String(quote.1))
            } else if let note = line.firstMatch(
                of: #/<!-- tags: ([^|]*) \| created: (\d{4}-\d{2}-\d{2}) -->/#)
            {
                tags = ToolsRequest.list(String(note.1))
                created = String(note.2)
            }
        }
        finish()
        return memories
    }
}
