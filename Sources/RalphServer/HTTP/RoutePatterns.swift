/// Finds which route a path belongs to, for figures that must not grow with what clients ask for.
///
/// A tree of segments: a lookup costs one table access per segment.
struct RoutePatterns: Sendable {
    private struct Node: Sendable {
        var literals: [Substring: Int] = [:]
        /// The node behind `{name}`.
        var parameter: Int?
        /// The pattern that ends here.
        var pattern: Int?
        /// The pattern that ends in `{name...}` here.
        var rest: Int?
    }

    /// ``RouteTable/paths``.
    let paths: [String]
    private var nodes = [Node()]

    init(_ table: RouteTable) {
        paths = table.paths
        for (index, path) in paths.enumerated() { add(path, index) }
    }

    /// The index in ``paths`` of the route that a path's segments belong to; `nil`: none.
    func index(of segments: [Substring]) -> Int? { index(of: segments[...], below: 0) }

    private func index(of segments: ArraySlice<Substring>, below place: Int) -> Int? {
        let node = nodes[place]
        guard let first = segments.first else { return node.pattern }
        if let next = node.literals[first], let found = index(of: segments.dropFirst(), below: next) {
            return found
        }
        if let next = node.parameter, let found = index(of: segments.dropFirst(), below: next) {
            return found
        }
        return node.rest
    }

    private mutating func add(_ path: String, _ index: Int) {
        var place = 0
        for segment in path.split(separator: "/", omittingEmptySubsequences: true) {
            if segment.hasSuffix("...}") {
                nodes[place].rest = index
                return
            }
            place = next(segment, behind: place)
        }
        nodes[place].pattern = index
    }

    private mutating func next(_ segment: Substring, behind place: Int) -> Int {
        let isParameter = segment.hasPrefix("{")
        if let known = isParameter ? nodes[place].parameter : nodes[place].literals[segment] { return known }
        nodes.append(Node())
        if isParameter {
            nodes[place].parameter = nodes.count - 1
        } else {
            nodes[place].literals[segment] = nodes.count - 1
        }
        return nodes.count - 1
    }
}
