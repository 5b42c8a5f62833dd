import Foundation
import RalphTestSupport

@testable import RalphStandIn

/// What a `.ralph` tree looks like when times, ids and texts are left aside: names of files, topics in their order,
/// and the members of rows and objects in theirs.
struct TreeShape {
    /// Of one row.
    struct Row: Equatable {
        let topic: String
        /// With the kind of the payload's value.
        let members: [String]
    }

    let root: String

    /// Files that only an agent's own tools or diagnostics write.
    private static let leftOut = ["diagnostics/", "agent/tasks.jsonl", "agent/memories.md"]

    /// The names of all files, the moment in an events file's name left out.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            let isLeftOut = Self.leftOut.contains { name == $0 || name == $0 + ".lock" || name.hasPrefix($0) }
            return TextFile.read(root + "/" + name) != nil && (!isLeftOut || name == "agent/tasks.jsonl.lock")
        }.map { $0.hasPrefix("events-") ? "events-….jsonl" : $0 }.sorted()
    }

    /// The rows of the events file. Those of tools other than ralph's are recognised by their blanks and have no
    /// members here.
    var rows: [Row] {
        // An empty shape fails the test that asks for it.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let name = names.first { $0.hasPrefix("events-") }
        return lines(name ?? "events.jsonl").map { line in
            let row = JSONParser.parse(line) ?? .null
            return Row(
                topic: row["topic"]?.text ?? "?", members: line.contains("\": ") ? [] : members(of: row))
        }
    }

    /// The members of every row of `history.jsonl`, with the kind of entry.
    var history: [String] {
        lines("history.jsonl").compactMap { line in
            let row = JSONParser.parse(line) ?? .null
            return "\(row.paths) \(row["type"]?["kind"]?.text ?? "") \(row["type"]?["reason"]?.text ?? "")"
        }
    }

    /// The members of a file with one object; `nil` if there is none.
    func object(_ name: String) -> [String]? {
        TextFile.read(root + "/" + name).flatMap(JSONParser.parse)?.paths
    }

    /// The text of a file in which each number and each moment is a `#`.
    func masked(_ name: String) -> String? {
        TextFile.read(root + "/" + name)?.replacing(/[0-9]+/, with: "#")
    }

    private func lines(_ name: String) -> [String] {
        (TextFile.read(root + "/" + name) ?? "").split(separator: "\n").map(String.init)
    }

    private func members(of row: JSONValue) -> [String] {
        guard row["topic"]?.text == "iteration.summary", let payload = row["payload"]?.text else {
            return row.paths
        }
        return row.paths + (JSONParser.parse(payload)?.paths ?? [])
    }
}

extension JSONValue {
    /// The names of all members in their order, those of inner objects with their parents' names.
    var paths: [String] {
        guard case .object(let members) = self else { return [] }
        return members.flatMap { member in
            [member.key] + member.value.paths.map { member.key + "." + $0 }
        }
    }
}
