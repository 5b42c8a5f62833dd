import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import RalphWire

/// A complete answer to one request, ready to be written.
struct Answer: Sendable {
    var head: HTTPResponseHead
    var body: ByteBuffer
    /// Whether the connection ends with it.
    var closes = false

    init(status: HTTPResponseStatus, headers: HTTPHeaders, body: ByteBuffer) {
        head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        self.body = body
    }

    /// 200 with a JSON text.
    init(json body: ByteBuffer) {
        self.init(status: .ok, headers: Self.jsonHeaders, body: body)
    }

    /// `OK` as text.
    static let healthy = Answer(
        status: .ok,
        headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
        body: ByteBuffer(string: "OK"))

    init(_ problem: Problem) {
        self.init(
            status: HTTPResponseStatus(statusCode: problem.status), headers: HTTPHeaders(problem.headers),
            body: ByteBuffer(bytes: problem.body))
    }

    /// The whole answer as it goes over the wire; `closing` announces the end of the connection.
    func bytes(closing: Bool) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(body.readableBytes + 512)
        buffer.writeString("HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n")
        for (name, value) in head.headers {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.writeString(value)
            buffer.writeStaticString("\r\n")
        }
        if closing { buffer.writeStaticString("Connection: close\r\n") }
        buffer.writeString("Content-Length: \(body.readableBytes)\r\n\r\n")
        buffer.writeImmutableBuffer(body)
        return buffer
    }

    private static let jsonHeaders: HTTPHeaders = [
        "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    ]
}
