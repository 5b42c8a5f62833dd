import Foundation
import NIOCore
import NIOHTTP1

/// An error answer as `application/problem+json` (RFC 9457).
///
/// Made at the very end, of the body that everybody else gets: so it does not matter who refused a request,
/// a route, a stream, the connection, or an answer that was kept for a repeated request.
enum ProblemDocument {
    static let mediaType = "application/problem+json"

    /// Members that the document gives a meaning of its own; `details` is called `detail` in it.
    private static let reserved: Set<String> = ["type", "title", "status", "detail", "details", "instance"]
    /// The longest name of a problem that becomes part of its `type`.
    private static let maximumSlugBytes = 64

    /// Turns an error answer into a problem document if `request` asks for that; no other answer is changed.
    static func adapt(_ answer: inout Answer, for request: HTTPHeaders) {
        guard answer.head.status.code >= 400, MediaRanges(request["accept"]).prefersProblemDocuments,
            answer.head.headers.first(name: "content-type") == "application/json",
            let body = document(status: Int(answer.head.status.code), of: Array(buffer: answer.body))
        else { return }
        answer.body = ByteBuffer(bytes: body)
        answer.head.headers.replaceOrAdd(name: "content-type", value: mediaType)
        answer.head.headers.add(name: "vary", value: "Accept")
    }

    /// The document of an error body (http-contract 1.2); `nil` for anything else.
    static func document(status: Int, of body: [UInt8]) -> [UInt8]? {
        // What is no JSON is none of our errors, and stays as it is.
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let error = object["error"] as? String
        else { return nil }
        var members = object.filter { !reserved.contains($0.key) }
        var name = error.prefix { $0 != ":" }
        var rest = error.dropFirst(name.count + 1).drop { $0 == " " }
        if !name.utf8.allSatisfy(isNamePart) {
            // A sentence for people: what kind of problem it is stands in the code.
            name = (object["code"] as? String ?? "unknown").lowercased()[...]
            rest = error[...]
        }
        members["type"] = "urn:ralph-mobile:problem:\(slug(name))"
        members["title"] = title(name)
        members["status"] = status
        members["detail"] = object["details"] as? String ?? (rest.isEmpty ? title(name) : String(rest))
        // Made of what was JSON a moment ago.
        let data = try? JSONSerialization.data(
            withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map(Array.init)
    }

    /// Letters and digits in lower case, everything else as single hyphens: `failed_to_spawn` gives
    /// `failed-to-spawn`.
    static func slug(_ name: Substring) -> String {
        let words = name.lowercased().utf8.split { byte in
            !(0x61...0x7A).contains(byte) && !(0x30...0x39).contains(byte)
        }
        let text = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
        return text.isEmpty ? "unknown" : String(text.prefix(maximumSlugBytes))
    }

    /// What errors that are names are made of.
    private static func isNamePart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func title(_ name: Substring) -> String {
        let words = name.split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
