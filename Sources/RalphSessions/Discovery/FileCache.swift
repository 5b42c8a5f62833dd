import Foundation

/// Small files that are asked for again and again and rarely change; parsed once per change.
///
/// A change is seen by the file's status, see ``EntryStatus/vouches(forReadAt:)``.
struct FileCache<Value> {
    private struct Entry {
        var status: EntryStatus
        var readAt: Int64
        var value: Value?
        var generation: Int
    }

    private let maximumBytes: Int
    private let isRewritten: Bool
    private let parse: ([UInt8]) -> Value?
    private var entries: [PathKey: Entry] = [:]
    private var generation = 0

    /// - Parameters:
    ///   - maximumBytes: larger files have no value.
    ///   - isRewritten: whether the files are rewritten in place. One that means nothing has the value that was read last
    ///     then, as long as it may be half written.
    ///   - parse: gives `nil` for a content that means nothing.
    init(maximumBytes: Int, isRewritten: Bool = false, parse: @escaping ([UInt8]) -> Value?) {
        self.maximumBytes = maximumBytes
        self.isRewritten = isRewritten
        self.parse = parse
    }

    /// The value of the file at `path` as it is now; `nil` without a regular file. One that cannot be looked at or read has
    /// the value that was read last, if any, and is tried again with the next call: what keeps it from being read leaves no
    /// trace in its status.
    mutating func value(at path: String) -> Value? {
        let found = EntryStatus(at: path)
        if found == nil, !SystemCode(errno).isAbsence { return last(at: path) }
        guard let status = found, status.kind == .file else {
            entries[PathKey(path)] = nil
            return nil
        }
        if let entry = entries[PathKey(path)], entry.status == status, status.vouches(forReadAt: entry.readAt)
        {
            entries[PathKey(path)]?.generation = generation
            return entry.value
        }
        let now = EntryStatus.now()
        let value: Value?
        switch BoundedFile.find(path, maximumBytes: maximumBytes, isDirect: true) {
        case .content(let bytes):
            let isUnfinished = isRewritten && !status.vouches(forReadAt: now)
            value = parse(bytes) ?? (isUnfinished ? last(at: path) : nil)
        case .none: value = nil
        case .unreadable: return last(at: path)
        }
        entries[PathKey(path)] = Entry(status: status, readAt: now, value: value, generation: generation)
        return value
    }

    /// What was read last of the file at `path`, which is kept.
    private mutating func last(at path: String) -> Value? {
        entries[PathKey(path)]?.generation = generation
        return entries[PathKey(path)]?.value
    }

    /// Forgets what nobody asked for since the last call.
    mutating func sweep() {
        let oldest = generation
        entries = entries.filter { $0.value.generation >= oldest }
        generation += 1
    }
}

extension FileCache<String> {
    /// One-line files: the text without blanks around it; `nil` if nothing is left.
    static func lines() -> FileCache<String> {
        FileCache(maximumBytes: 4096) { bytes in
            let text = SessionDirectory.trimmed(String(decoding: bytes, as: UTF8.self))
            return text.isEmpty ? nil : text
        }
    }
}
