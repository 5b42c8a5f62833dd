import CYaml

/// How much the one document of a YAML text comes to, counted from the events of its parser before anything is composed.
///
/// It goes through the text once, follows no alias, and keeps what the text spells: anchors, and lists and maps that are open.
struct YAMLMeasure {
    private enum Step { case next, end, excess(YAMLProblem) }

    /// The outermost first.
    private var open: [OpenCollection] = []
    /// What an alias stands for, by its name: the last value of this anchor that has ended.
    private var anchors: [String: YAMLExtent] = [:]
    /// Values up to now, aliases counted as what they stand for, and the bytes of scalars among them. An alias at most doubles
    /// them, and the one that passes a bound is the last, so that they never overflow.
    private var (values, bytes) = (0, 0)
    private var keyWork = 0.0
    private var hasAliases = false

    /// Why `text` cannot be composed, and the result walked, within the bounds of `BoundedYAML`; `nil`: it can.
    ///
    /// That is so as well where composing fails before it passes a bound: at what is no YAML, and at an alias of nothing.
    static func problem(in text: String) -> YAMLProblem? {
        var text = text
        return text.withUTF8 { bytes in
            // The parser keeps its own address.
            var parser = yaml_parser_t()
            return withUnsafeMutablePointer(to: &parser) { problem(in: bytes, $0) }
        }
    }

    private static func problem(
        in bytes: UnsafeBufferPointer<UInt8>, _ parser: UnsafeMutablePointer<yaml_parser_t>
    ) -> YAMLProblem? {
        guard let start = bytes.baseAddress else { return nil }
        // Without memory nothing is known of the text.
        guard yaml_parser_initialize(parser) == 1 else { return .tooManyValues }
        defer { yaml_parser_delete(parser) }
        // As it is composed.
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, start, bytes.count)
        var measure = YAMLMeasure()
        while true {
            var event = yaml_event_t()
            defer { yaml_event_delete(&event) }
            guard yaml_parser_parse(parser, &event) == 1 else {
                return parser.pointee.error == YAML_MEMORY_ERROR ? .tooManyValues : nil
            }
            switch measure.take(event) {
            case .next: continue
            case .end: return nil
            case .excess(let problem): return problem
            }
        }
    }

    private mutating func take(_ event: yaml_event_t) -> Step {
        switch event.type {
        case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT: return .next
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            values += 1
            bytes += scalar.length
            return add(.scalar(bytes: scalar.length), Self.name(scalar.anchor), isSpelledScalar: true)
        case YAML_ALIAS_EVENT:
            guard let name = Self.name(event.data.alias.anchor), let extent = anchors[name] else {
                return .end
            }
            hasAliases = true
            values += extent.values
            bytes += extent.bytes
            return add(extent, nil, isSpelledScalar: false)
        case YAML_SEQUENCE_START_EVENT:
            return begin(OpenCollection(isMap: false, anchor: Self.name(event.data.sequence_start.anchor)))
        case YAML_MAPPING_START_EVENT:
            return begin(OpenCollection(isMap: true, anchor: Self.name(event.data.mapping_start.anchor)))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            guard let ended = open.popLast() else { return .end }
            keyWork += ended.keyWork
            return add(ended.extent, ended.anchor, isSpelledScalar: false)
        // With the first document: a second one is refused.
        default: return .end
        }
    }

    private mutating func begin(_ collection: OpenCollection) -> Step {
        values += 1
        open.append(collection)
        return step(depth: 0)
    }

    /// Puts a value that has ended where it belongs.
    private mutating func add(_ extent: YAMLExtent, _ anchor: String?, isSpelledScalar: Bool) -> Step {
        if let anchor { anchors[anchor] = extent }
        if !open.isEmpty { open[open.count - 1].add(extent, isSpelledScalar: isSpelledScalar) }
        return step(depth: extent.depth)
    }

    /// - Parameter depth: levels below those that are open.
    private func step(depth: Int) -> Step {
        if hasAliases, bytes > BoundedYAML.maximumText { return .excess(.tooMuchText) }
        let isBounded =
            (!hasAliases || values <= BoundedYAML.maximumValues)
            && open.count + depth <= BoundedYAML.maximumDepth && keyWork <= BoundedYAML.maximumKeyWork
        return isBounded ? .next : .excess(.tooManyValues)
    }

    private static func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        anchor.map { String(cString: $0) }
    }
}
