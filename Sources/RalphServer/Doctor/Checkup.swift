import RalphWire

/// One part of an examination of this machine and of the settings that a server would have.
///
/// What is good and what is not is decided by functions of values; whatever reads the system is apart from them.
protocol Checkup: Sendable {
    /// What it looks at, the subject of its findings.
    var subject: String { get }

    /// Looks. Changes nothing, and ends by itself within ``LocalExamination/patience``.
    func findings() async -> [Finding]
}

/// A part that only reads files and the like, and may hang on one.
protocol FileCheckup: Checkup {
    /// Looks; blocks its thread meanwhile.
    func look() -> [Finding]
}

extension FileCheckup {
    func findings() async -> [Finding] {
        await Deadline.blocking(within: LocalExamination.patience) { look() }
            ?? [
                .fail(
                    subject, "no answer from the file system within 10 s",
                    "Look for a network file system that is gone: a server would hang there, too.")
            ]
    }
}
