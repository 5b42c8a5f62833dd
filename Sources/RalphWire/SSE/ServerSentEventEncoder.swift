/// Writes events of one session as server-sent events, WHATWG HTML 9.2.5 and http-contract 4.2.
///
/// A frame is, with LF only:
///
///     id: <seq>
///     event: workflow
///     data: {"id":"evt_<session>-<seq>","seq":<seq>,"session_id":"<session>",<members>}
///     <empty line>
///
/// `<members>` are those of ``EventBatch``, as they are; they must not be empty.
public struct ServerSentEventEncoder: Sendable {
    /// Where the parts of a frame lie, counted from the frame's first byte.
    public struct Layout: Sendable, Equatable {
        /// The JSON object, from its `{` to behind its `}`.
        public var json: Range<Int>
        /// Where `<members>` begin.
        public var membersStart: Int
        /// The length of the frame with its empty line.
        public var count: Int
    }

    private static let start = Array("id: ".utf8)
    private static let dataStart = Array("\nevent: workflow\ndata: ".utf8)
    private static let idStart = Array(#"{"id":"evt_"#.utf8)
    private static let seqStart = Array(#"","seq":"#.utf8)
    private static let sessionStart = Array(#","session_id":""#.utf8)
    private static let sessionEnd = Array(#"","#.utf8)
    private static let end = Array("}\n\n".utf8)

    /// What stands between the first and the second `<seq>`, the second and the third, and behind that.
    private let parts: (toID: [UInt8], toSeq: [UInt8], toMembers: [UInt8])

    /// An encoder for the events of `session`.
    public init(session: SessionID) {
        let id = session.rawValue.utf8
        parts = (
            toID: Self.dataStart + Self.idStart + id + CollectionOfOne(UInt8(ascii: "-")),
            toSeq: Self.seqStart,
            toMembers: Self.sessionStart + id + Self.sessionEnd
        )
    }

    /// The length in bytes of the frame of event `seq` with `memberBytes` bytes of members.
    public func byteCount(seq: Int64, memberBytes: Int) -> Int {
        Self.start.count + parts.toID.count + parts.toSeq.count + parts.toMembers.count + Self.end.count
            + 3 * DecimalDigits(seq).count + memberBytes
    }

    /// Writes the frame of event `seq` to `target`, which must have room for ``byteCount(seq:memberBytes:)``.
    public func write(
        seq: Int64, members: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
    ) -> Layout {
        let digits = DecimalDigits(seq)
        var end = Self.copy(Self.start, to: target, at: 0)
        end = digits.write(to: target, at: end)
        end = Self.copy(parts.toID, to: target, at: end)
        let jsonStart = Self.start.count + digits.count + Self.dataStart.count
        end = digits.write(to: target, at: end)
        end = Self.copy(parts.toSeq, to: target, at: end)
        end = digits.write(to: target, at: end)
        let membersStart = Self.copy(parts.toMembers, to: target, at: end)
        if let source = members.baseAddress {
            (target + membersStart).copyMemory(from: source, byteCount: members.count)
        }
        end = Self.copy(Self.end, to: target, at: membersStart + members.count)
        return Layout(json: jsonStart..<end - 2, membersStart: membersStart, count: end)
    }

    /// Copies `bytes` to `target + offset` and gives the offset behind them.
    private static func copy(_ bytes: [UInt8], to target: UnsafeMutableRawPointer, at offset: Int) -> Int {
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress {
                (target + offset).copyMemory(from: base, byteCount: source.count)
            }
        }
        return offset + bytes.count
    }
}
