import HTTPTypes
import Hummingbird
import NIOCore

/// Gathers a response body in memory; our answers are bounded, streams do not come this way.
struct CollectedBody: ResponseBodyWriter {
    /// Where the bytes go: the writer itself is consumed by the body.
    final class Sink {
        var buffer = ByteBuffer()
    }

    let sink: Sink

    mutating func write(_ buffer: ByteBuffer) async throws {
        sink.buffer.writeImmutableBuffer(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}

    /// All bytes of `body`.
    static func collect(_ body: ResponseBody) async throws -> ByteBuffer {
        let sink = Sink()
        try await body.write(CollectedBody(sink: sink))
        return sink.buffer
    }
}
