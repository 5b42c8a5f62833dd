/// What the last line of an export says beside its hash. Member names are the wire's.
struct ExportTrailer: Encodable, Sendable {
    let events: Int
    let gaps: Int
    /// The last number in this page; that before it where there is none.
    let last_seq: Int64
    /// Whether there is a page behind this one.
    let truncated: Bool
}
