import NIOHTTP1

extension HTTPRequestHead {
    /// Whether it is clear whom the request is for: HTTP/1.1 wants exactly one `Host` (RFC 9112, 3.2); of two,
    /// another one may count for somebody in between.
    var namesOneHost: Bool {
        let count = headers["host"].count
        return count == 1 || count == 0 && version == .http1_0
    }
}
