import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// How soon it shows over HTTP that something came, changed or went on disk (design 3.1).
    struct FreshnessTests {
        /// How soon it is to show.
        private static let promised: Duration = .seconds(2)
        /// A machine with other things to do may be late once, but not in most of so many tries.
        private static let tries = 3

        /// Something that happens to a workspace, and how it shows.
        enum Change: String, CaseIterable, CustomTestStringConvertible {
            case newWorkspace, newRun, newWorktree, deletedWorkspace

            var testDescription: String { rawValue }
        }

        @Test(arguments: Change.allCases)
        func `what changes on disk shows within two seconds`(_ change: Change) async throws {
            try await withTemporaryDirectory { place in
                for number in 1...Self.tries { try place.appendLines(1...1, to: "w\(number)") }
                // No look at everything comes to the help of inotify.
                let service = try await Service(in: place, ["--rescan", "600"])
                for number in 1...Self.tries { _ = try await service.session("w\(number)", events: 1) }
                var took: [Duration] = []
                for number in 1...Self.tries {
                    try make(change, of: number, in: place)
                    let start = ContinuousClock.now
                    try await eventually(within: .seconds(15), "\(change) \(number)") {
                        try await shows(change, of: number, service)
                    }
                    took.append(ContinuousClock.now - start)
                }
                #expect(took.sorted()[Self.tries / 2] < Self.promised, "\(took)")
            }
        }

        private func make(_ change: Change, of number: Int, in place: TemporaryDirectory) throws {
            let workspace = "tree/w\(number)"
            switch change {
            case .newWorkspace: try place.appendLines(1...1, to: "new/n\(number)")
            case .newRun:
                // As Ralph begins a run: a file of its own, then the pointer, then rows.
                let name = ".ralph/events-20261121-03203\(number).jsonl"
                try place.write("\(workspace)/\(name)", "")
                try place.write("\(workspace)/.ralph/current-events", name)
                try place.append(
                    "\(workspace)/\(name)",
                    #"{"topic":"note.line","ts":"2026-11-21T03:20:39Z","payload":"second run"}"# + "\n")
            case .newWorktree:
                let worktree = "\(workspace)/.worktrees/fair-rose"
                let name = ".ralph/events-20261121-03203\(number).jsonl"
                try place.write("\(worktree)/.ralph/current-loop-id", "fair-rose")
                try place.write("\(worktree)/.ralph/current-events", name)
                try place.write(
                    "\(worktree)/\(name)",
                    #"{"topic":"note.line","ts":"2026-11-21T03:20:39Z","payload":"in the worktree"}"# + "\n")
            case .deletedWorkspace: try place.remove(workspace)
            }
        }

        private func shows(_ change: Change, of number: Int, _ service: Service) async throws -> Bool {
            let list = try await service.get("/api/sessions").json() as? [[String: Any]] ?? []
            func session(_ workspace: String) -> [String: Any]? {
                list.first { ($0["working_dir"] as? String)?.hasSuffix("/tree/" + workspace) == true }
            }
            switch change {
            case .newWorkspace: return session("new/n\(number)")?["last_seq"] as? Int == 1
            case .newRun:
                let id = session("w\(number)")?["id"] as? String ?? ""
                return try await service.payloads(id).contains("second run")
            case .newWorktree: return session("w\(number)/.worktrees/fair-rose")?["last_seq"] as? Int == 1
            case .deletedWorkspace: return session("w\(number)")?["watch"] as? String == "gone"
            }
        }
    }
}
