import CRalphOpenAPI

/// The description of the interface that the program serves.
enum OpenAPIDocument {
    /// The text of `docs/openapi.yaml`, byte for byte.
    static let yaml: String = {
        var size = 0
        let bytes = ralph_openapi(&size)
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: size), as: UTF8.self)
    }()
}
