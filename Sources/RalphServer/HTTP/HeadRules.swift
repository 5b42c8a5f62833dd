import NIOHTTP1
import RalphWire

/// What a request's head must be like beyond what the parser asks for.
///
/// The parser of HTTP/1.1 refuses what is ambiguous by itself: both kinds of length, several lengths, folded lines,
/// bare line feeds, control characters. These rules are about what it, or the one of HTTP/2, lets through and others
/// between may read otherwise.
enum HeadRules {
    /// What is wrong with a head as it was sent; `nil`: nothing.
    static func problem(with head: HTTPRequestHead, _ limits: HTTPLimits) -> Problem? {
        if head.uri.utf8.count > limits.maximumTargetBytes {
            return .targetTooLong(limit: limits.maximumTargetBytes)
        }
        // Of two hosts another one may count for somebody in between (RFC 9112, 3.2). HTTP/1.0 may leave it out;
        // the rule about hosts would not hold then. None is empty where there is a scheme (RFC 9110, 4.2.1).
        let hosts = head.headers["host"]
        guard hosts.count == 1, !hosts[0].isEmpty else { return .malformedRequest }
        // We are no proxy: neither an absolute target, whose host could contradict the header, nor CONNECT.
        guard head.uri.utf8.first == UInt8(ascii: "/"), head.method != .CONNECT else {
            return .malformedRequest
        }
        // A target is ASCII (RFC 3986, 2). An accent behind a `?` would make one character of both, which some split and
        // others do not; the parser of HTTP/1.1 refuses it by itself.
        guard head.uri.utf8.allSatisfy({ $0 < 0x80 }) else { return .malformedRequest }
        guard isToken(head.method.rawValue.utf8) else { return .malformedRequest }
        let encodings = head.headers["transfer-encoding"]
        guard encodings.isEmpty || isChunkedAlone(encodings, head) else { return .malformedRequest }
        let lengths = head.headers["content-length"]
        guard lengths.isEmpty || lengths.count == 1 && isNumber(lengths[0]) else { return .malformedRequest }
        return nil
    }

    /// The bytes of a head's target, names and values.
    static func size(of head: HTTPRequestHead) -> Int {
        head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// A head without the blanks that the parser of HTTP/1.1 leaves behind values, and that are no part of them
    /// (RFC 9110, 5.5). Nearly every head has none.
    static func trimmed(_ head: HTTPRequestHead) -> HTTPRequestHead {
        guard head.headers.contains(where: { $0.value.utf8.last.map(isBlank) == true }) else { return head }
        var head = head
        head.headers = HTTPHeaders(
            head.headers.map { name, value in
                guard value.utf8.last.map(isBlank) == true else { return (name, value) }
                let end = value.utf8.lastIndex { !isBlank($0) }
                return (name, end.map { String(Substring(value.utf8[...$0])) } ?? "")
            })
        return head
    }

    /// As the parser of HTTP/1.1 has it (RFC 9110, 5.6.2).
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// Bytes without the blanks around them (RFC 9110, 5.6.3).
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes
    where Bytes.SubSequence == Bytes {
        let start = bytes.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? start
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Whether a client waits to be told before it sends its body (RFC 9110, 10.1.1).
    static func awaitsContinue(_ head: HTTPRequestHead) -> Bool {
        guard head.version != .http1_0 else { return false }
        return head.headers["expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether a client would go on in another protocol (RFC 9110, 7.8). We do not, and the parser takes nothing apart
    /// behind such a request, so that its connection has to end with the answer.
    static func asksForUpgrade(_ head: HTTPRequestHead) -> Bool {
        // The parser takes the one for the other.
        head.headers.contains(name: "upgrade")
            && ["connection", "proxy-connection"].contains { name in
                head.headers[canonicalForm: name].contains { $0.lowercased() == "upgrade" }
            }
    }

    /// The bytes of the body, where the head tells.
    static func length(of head: HTTPRequestHead) -> Int? {
        head.headers.first(name: "content-length").flatMap(Int.init)
    }

    /// Whether a body follows.
    static func hasBody(_ head: HTTPRequestHead) -> Bool {
        length(of: head) ?? 0 > 0 || head.headers.contains(name: "transfer-encoding")
    }

    /// Whether a length is digits alone, and few enough of them to count (RFC 9110, 8.6).
    private static func isNumber(_ length: String) -> Bool {
        length.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(length) != nil
    }

    /// The only coding that we undo, once, and where it exists (RFC 9112, 6.1).
    private static func isChunkedAlone(_ encodings: [String], _ head: HTTPRequestHead) -> Bool {
        encodings.count == 1 && encodings[0].lowercased() == "chunked" && head.version != .http1_0
            && !head.headers.contains(name: "content-length")
    }
}
