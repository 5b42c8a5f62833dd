import NIOCore

extension LibraryLister {
    /// The body of a list; of skills, the items as well.
    mutating func encode(_ list: LibraryList) throws -> (ByteBuffer, [SkillItem]) {
        switch list {
        case .configs:
            let (configs, found) = configs()
            let (truncated, count) = Self.cut(found)
            return try Self.body(
                LibraryObjects.Configs(configs: configs, truncated: truncated, found: count))
        case .presets:
            let (presets, found) = configs()
            let (truncated, count) = Self.cut(found)
            return try Self.body(
                LibraryObjects.Presets(presets: presets, truncated: truncated, found: count))
        case .prompts: return try Self.body(prompts())
        case .hats: return try Self.body(hats())
        case .skills:
            let found = skills()
            let body = try Self.body(
                LibraryObjects.Skills(
                    skills: found.items.map(\.object), count: found.items.count,
                    truncated: found.isTruncated ? true : nil, found: found.isTruncated ? found.count : nil))
            return (body.0, found.items)
        }
    }

    private static func cut(_ found: LibraryFinder.Found) -> (Bool?, Int?) {
        found.isTruncated ? (true, found.count) : (nil, nil)
    }

    private static func body(_ value: some Encodable) throws -> (ByteBuffer, [SkillItem]) {
        (ByteBuffer(bytes: try JSONResponse.text(value)), [])
    }
}
