import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RalphWire

/// Makes the JSON responses of all routes.
enum JSONResponse {
    /// 200 with `value` as JSON.
    static func encode(_ value: some Encodable) throws -> Response {
        make(ByteBuffer(bytes: try encoder().encode(value)))
    }

    /// 200 with a JSON text.
    static func make(_ body: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ],
            body: .init(byteBuffer: body))
    }

    /// The JSON text of `value`: no escaped slashes, members sorted by name.
    static func text(_ value: some Encodable) throws -> [UInt8] {
        Array(try encoder().encode(value))
    }

    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }
}
