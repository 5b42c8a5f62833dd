/// The part about schemas.
extension DocsPage {
    private static let schemaPrefix = "#/components/schemas/"
    /// Types inside types are written out this far.
    private static let maximumDepth = 8

    /// All schemas that have a name.
    var schemas: [HTML] {
        (document["components"]?["schemas"]?.members ?? []).map { schema in
            """
            <section id="schema-\(schema.name)"><h3>\(schema.name)</h3>\
            \(paragraphs(schema.value["description"]))<p>\(type(schema.value))</p>\(properties(schema.value))</section>

            """
        }
    }

    /// What a schema says a value is, in a few words; a schema with a name is a link to it.
    func type(_ schema: ContractValue?) -> HTML { type(schema, depth: 0) }

    private func type(_ schema: ContractValue?, depth: Int) -> HTML {
        guard let schema, depth < Self.maximumDepth else { return .none }
        if let name = schema["$ref"]?.string {
            guard name.hasPrefix(Self.schemaPrefix) else { return "\(name)" }
            let short = String(name.dropFirst(Self.schemaPrefix.count))
            return "<a href=\"#schema-\(short)\">\(short)</a>"
        }
        for word in ["oneOf", "anyOf", "allOf"] {
            guard let parts = schema[word]?.elements, !parts.isEmpty else { continue }
            return joined(parts.map { type($0, depth: depth + 1) }, by: word == "allOf" ? " and " : " or ")
        }
        if let values = schema["enum"]?.elements {
            return joined(values.map { "<code>\($0.shown)</code>" }, by: " or ")
        }
        if let value = schema["const"] { return "<code>\(value.shown)</code>" }
        let types = schema["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
        let names = types.map(\.shown).joined(separator: " or ")
        if types.contains(.string("array")), let items = schema["items"] {
            return "\(names) of \(type(items, depth: depth + 1))"
        }
        return "\(names)\(bounds(schema))"
    }

    private func bounds(_ schema: ContractValue) -> HTML {
        var words: [String] = []
        for (key, word) in [
            ("format", ""), ("minimum", "from "), ("maximum", "to "), ("minLength", "at least "),
            ("maxLength", "at most "), ("pattern", "like "), ("default", "default "),
        ] {
            if let value = schema[key] { words.append(word + value.shown) }
        }
        return words.isEmpty ? .none : " <small>\(words.joined(separator: ", "))</small>"
    }

    private func properties(_ schema: ContractValue) -> HTML {
        let members = schema["properties"]?.members ?? []
        guard !members.isEmpty else { return .none }
        let required = schema["required"]?.elements ?? []
        let rows: [HTML] = members.map { member in
            """
            <tr><td><code>\(member.name)</code>\(required.contains(.string(member.name)) ? " *" : "")</td>\
            <td>\(type(member.value))</td><td>\(member.value["description"]?.shown ?? "")</td></tr>

            """
        }
        return """
            <div class="wide"><table><tr><th>member</th><th>type</th><th>meaning</th></tr>
            \(rows)</table></div>

            """
    }

    private func joined(_ pieces: [HTML], by separator: String) -> HTML {
        var html = HTML.none
        for (index, piece) in pieces.enumerated() {
            if index > 0 { html += "\(separator)" }
            html += piece
        }
        return html
    }
}
