import RalphFeed
import RalphWire

/// Whether the store and the search index are sound.
struct StoreHealthCheckup: FileCheckup {
    let subject = "store"
    let state: StateDirectory
    let hasSearch: Bool

    func look() -> [Finding] {
        let store = StoreCheckup(path: state.store, within: .seconds(4)).look()
        var findings = [Self.judge(store: store)]
        guard hasSearch else { return findings + [.ok("search", "switched off (--no-search)")] }
        if case .inUse = store { return findings + [.ok("search", "in use by the running server")] }
        findings.append(
            Self.judge(
                search: StoreCheckup(path: state.search, within: .seconds(4)).look(isEventStore: false)))
        return findings
    }

    /// What was found of the store.
    static func judge(store: StoreCheckup.Outcome) -> Finding {
        switch store {
        case .missing: .ok("store", "is made at the first start")
        case .healthy(let bytes): .ok("store", "\(mebibytes(bytes)), nothing wrong with it")
        case .inUse(let pid):
            .ok("store", "in use by the server\(pid.map { " with process number \($0)" } ?? "")")
        case .damaged(let reason):
            .fail(
                "store", "damaged: \(reason)",
                "The next start moves it aside and reads the sessions anew; commands on record are lost.")
        case .newerSchema(let migration):
            .fail(
                "store", "made by a newer version (it has \(migration))",
                "Install that version, or choose another directory with --state-dir.")
        case .unfinished: .ok("store", "large; not looked through within 4 s")
        case .tooLarge(let bytes):
            .ok("store", "\(mebibytes(bytes)), not closed at its last use; the next start sees to that")
        case .unreadable(let reason):
            .fail("store", "cannot be read: \(reason)", "Check its owner, its permissions and the disk.")
        }
    }

    /// What was found of the search index, which can be made anew.
    static func judge(search: StoreCheckup.Outcome) -> Finding {
        switch search {
        case .missing: .ok("search", "is made at the first start")
        case .healthy(let bytes): .ok("search", "\(mebibytes(bytes)), nothing wrong with it")
        case .inUse: .ok("search", "in use")
        case .unfinished, .tooLarge, .newerSchema: .ok("search", "not looked through")
        case .damaged(let reason), .unreadable(let reason):
            .warn(
                "search", "cannot be used: \(reason)",
                "Delete search.sqlite and its companions; the next start makes it anew.")
        }
    }

    private static func mebibytes(_ bytes: Int64) -> String {
        bytes < 1 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}
