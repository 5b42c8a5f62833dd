import NIOHTTP1

/// A whole answer, and when its parts came.
struct Reply: Sendable {
    let head: HTTPResponseHead
    let body: [UInt8]
    /// From the first try to connect to the end of the answer.
    let time: Duration

    var status: Int { Int(head.status.code) }
    var isRedirect: Bool { (300..<400).contains(status) }
}
