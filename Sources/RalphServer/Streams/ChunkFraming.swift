import NIOCore
import RalphFeed

/// HTTP/1.1 chunked transfer coding (RFC 9112 section 7.1), written once for everybody.
///
/// The size has eight digits, so that it can be filled in when the data is there.
enum ChunkFraming {
    /// The chunk that ends a body.
    static let last = ByteBuffer(string: "0\r\n\r\n")

    /// One chunk with what `write` writes; empty if it writes nothing.
    static func chunk(capacity: Int, _ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: capacity + 12)
        buffer.writeStaticString("00000000\r\n")
        write(&buffer)
        let size = buffer.readableBytes - 10
        guard size > 0 else { return ByteBuffer() }
        for digit in 0..<8 {
            let value = UInt8(size >> ((7 - digit) * 4) & 15)
            buffer.setInteger(value < 10 ? 48 + value : 55 + value, at: buffer.readerIndex + digit)
        }
        buffer.writeStaticString("\r\n")
        return buffer
    }

    /// One chunk with all frames of `blocks`, which are `bytes` long together.
    static func chunk(of blocks: some Sequence<EventBlock>, bytes: Int) -> ByteBuffer {
        chunk(capacity: bytes) { buffer in
            for block in blocks { buffer.writeBytes(block.bytes) }
        }
    }
}
