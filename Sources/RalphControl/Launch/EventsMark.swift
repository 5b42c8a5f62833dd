import Foundation
import RalphSessions

/// How far the events of a workspace have come: another mark means that a run wrote its first row.
struct EventsMark: Sendable, Equatable {
    private let pointer: String?
    /// 0: there is no events file yet; its pointer is written before it (contract 1.1).
    private let sizeBytes: Int64

    init(_ directory: SessionDirectory) {
        let text = BoundedFile.read(directory.pointerFile, maximumBytes: 4096)
        pointer = text.map { String(decoding: $0, as: UTF8.self) }
        var status = stat()
        let path = pointer.flatMap { directory.eventsPath(pointer: $0) } ?? directory.plainEventsFile
        sizeBytes = stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Whether rows were written since `earlier`.
    func isPast(_ earlier: EventsMark) -> Bool { sizeBytes > 0 && self != earlier }
}
