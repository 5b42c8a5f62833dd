/// The description of the interface as a page for people: one document, no script, nothing from elsewhere.
struct DocsPage: Sendable {
    /// Methods that an operation can have, in the order in which they are shown.
    static let methods = ["get", "post", "put", "patch", "delete", "head", "options"]

    let document: ContractValue

    /// The whole page.
    var html: HTML {
        let title = document["info"]?["title"]?.shown ?? "Interface"
        let version = document["info"]?["version"]?.shown ?? ""
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title><style>\(Self.style)</style></head><body>
            <header><h1>\(title) <small>\(version)</small></h1>
            \(paragraphs(document["info"]?["description"]))
            <p>For programs: <a href="/openapi.json">openapi.json</a></p></header>
            <nav><ul>\(index)</ul></nav>
            <main>\(operations.map(section))
            <h2 id="schemas">Schemas</h2>\(schemas)</main></body></html>

            """
    }

    /// One operation.
    struct Operation: Sendable {
        let method: String
        let path: String
        let value: ContractValue
        /// Parameters of the path come with each of its operations.
        let shared: [ContractValue]

        var anchor: String { method + path.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined() }
    }

    /// All operations in the order of the document.
    var operations: [Operation] {
        (document["paths"]?.members ?? []).flatMap { path in
            Self.methods.compactMap { method in
                path.value[method].map { operation in
                    Operation(
                        method: method, path: path.name, value: operation,
                        shared: path.value["parameters"]?.elements ?? [])
                }
            }
        }
    }

    /// What a value stands for: itself, or what its `$ref` names in this document.
    func resolved(_ value: ContractValue) -> ContractValue {
        guard let name = value["$ref"]?.string, name.hasPrefix("#/") else { return value }
        var found: ContractValue? = document
        for part in name.dropFirst(2).split(separator: "/") {
            found = found?[String(part).replacing("~1", with: "/").replacing("~0", with: "~")]
        }
        return found ?? value
    }

    /// A text's paragraphs; blank lines part them.
    func paragraphs(_ text: ContractValue?) -> [HTML] {
        guard let text = text?.string else { return [] }
        return text.split(separator: "\n\n").map { "<p>\(String($0))</p>\n" }
    }

    private var index: [HTML] {
        operations.map { operation in
            """
            <li><a href="#\(operation.anchor)"><b class="\(operation.method)">\(operation.method.uppercased())</b> \
            \(operation.path)</a></li>

            """
        }
    }
}
