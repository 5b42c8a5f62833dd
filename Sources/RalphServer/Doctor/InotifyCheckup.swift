import RalphWire

/// Whether the kernel tells of enough directories.
enum InotifyCheckup {
    /// The kernel's own default; a shorter queue loses what happens at once.
    static let goodQueue = 16_384

    /// What the limits are worth if `needed` directories are to be watched.
    ///
    /// - Parameter isCut: whether there are more directories than were looked at.
    static func judge(_ figures: InotifyFigures, needed: Int, isCut: Bool = false) -> [Finding] {
        guard let watches = figures.maximumWatches, let instances = figures.maximumInstances else {
            return [
                .warn(
                    "inotify", "this system has none, or does not tell its limits",
                    "Sessions are looked at four times a second, and new ones are looked for every second or --rescan."
                )
            ]
        }
        let counted = figures.isCut ? "at least " : ""
        let whose = figures.isServerLeftOut ? "this user's other processes" : "this user"
        let facts =
            "\(isCut ? "at least " : "")\(needed) watches needed,"
            + " \(counted)\(figures.usedWatches) of \(watches) in use by \(whose);"
            + " \(figures.usedInstances) of \(instances) instances"
        var findings: [Finding] = []
        if needed + figures.usedWatches > watches {
            findings.append(
                .warn(
                    "inotify", facts,
                    "Too few: sysctl fs.inotify.max_user_watches=\(enough(needed + figures.usedWatches))"))
        } else if figures.usedInstances >= instances {
            findings.append(
                .warn("inotify", facts, "None is left: sysctl fs.inotify.max_user_instances=\(instances * 2)")
            )
        } else {
            findings.append(.ok("inotify", facts))
        }
        if let events = figures.maximumEvents, events < goodQueue {
            findings.append(
                .warn(
                    "inotify", "a queue of \(events) changes, which a burst fills",
                    "sysctl fs.inotify.max_queued_events=\(goodQueue)"))
        }
        return findings
    }

    /// The next power of two that leaves as much again.
    private static func enough(_ needed: Int) -> Int {
        var number = 65_536
        while number < needed * 2, number < 1 << 30 { number *= 2 }
        return number
    }
}
