package import RalphWire

/// The query of a request, decoded once (`application/x-www-form-urlencoded`: `+` is a space).
package struct QueryItems: Sendable {
    /// More items than this are refused.
    package static let maximumCount = 64

    private var items: [(name: String, value: String)] = []

    /// - Throws: ``Problem`` 400 for percent signs that are no escapes, invalid UTF-8, or too many items.
    package init(_ query: Substring?) throws(Problem) {
        guard let query else { return }
        for part in query.split(separator: "&") {
            guard items.count < Self.maximumCount else { throw .invalidRequest("too many query items") }
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0], plusIsSpace: true),
                let value = PercentEncoding.decode(halves.count > 1 ? halves[1] : "", plusIsSpace: true)
            else { throw .invalidRequest("the query is not percent-encoded UTF-8") }
            items.append((name, value))
        }
    }

    /// Like the other one, for a whole text.
    package init(_ query: String?) throws(Problem) { try self.init(query.map { $0[...] }) }

    /// The last value of `name`.
    package subscript(name: String) -> String? { items.last { $0.name == name }?.value }

    /// All values of `name` in their order.
    package func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// `true`/`1`/`yes`/empty and `false`/`0`/`no`; `nil` if absent.
    package func flag(_ name: String) throws(Problem) -> Bool? {
        switch self[name]?.lowercased() {
        case nil: nil
        case "", "1", "true", "yes": true
        case "0", "false", "no": false
        default: throw .invalidRequest("\(name) must be true or false")
        }
    }

    /// A whole number inside `range`; `nil` if absent.
    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .invalidRequest("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}
