import Foundation
import NIOHTTP1

/// What a request offers to be let in with.
enum Credential: Sendable, Equatable {
    /// The server's key, or what somebody takes for it.
    case key(String)
    /// What looks like a device's token.
    case token(String)

    private init(_ text: String) {
        // Blanks around a value are not part of it (RFC 9110, 5.5).
        let text = text.trimmingCharacters(in: .whitespaces)
        self = text.hasPrefix(DeviceBook.tokenPrefix) ? .token(text) : .key(text)
    }

    /// From `X-Api-Key`, else from `Authorization: Bearer …` (http-contract 2); `nil`: there is none.
    init?(_ headers: HTTPHeaders) {
        if let value = headers.first(name: "x-api-key") {
            self.init(value)
        } else if let value = headers.first(name: "authorization") {
            let parts = value.split(separator: " ", maxSplits: 1)
            let isBearer = parts.count == 2 && parts[0].lowercased() == "bearer"
            self.init(isBearer ? String(parts[1]) : value)
        } else {
            return nil
        }
    }

    /// From `?api_key=`, where that is allowed; `nil`: there is none.
    init?(query: Substring?) {
        // A query that cannot be read offers nothing.
        guard let query, let value = (try? QueryItems(query))?["api_key"] else { return nil }
        self.init(value)
    }
}
