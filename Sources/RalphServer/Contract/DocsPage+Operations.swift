/// The part about operations.
extension DocsPage {
    /// What is said of one operation.
    func section(_ operation: Operation) -> HTML {
        let value = operation.value
        return """
            <section id="\(operation.anchor)"><h2><b class="\(operation.method)">\
            \(operation.method.uppercased())</b> <code>\(operation.path)</code></h2>
            <p><strong>\(value["summary"]?.shown ?? "")</strong></p>\(paragraphs(value["description"]))
            \(parameters(operation))\(body(value["requestBody"]))\(responses(value["responses"]))</section>

            """
    }

    private func parameters(_ operation: Operation) -> HTML {
        let parameters = (operation.shared + (operation.value["parameters"]?.elements ?? [])).map(resolved)
        guard !parameters.isEmpty else { return .none }
        let rows: [HTML] = parameters.map { parameter in
            """
            <tr><td><code>\(parameter["name"]?.shown ?? "")</code>\
            \(parameter["required"] == .bool(true) ? " *" : "")</td>\
            <td>\(parameter["in"]?.shown ?? "")</td><td>\(type(parameter["schema"]))</td>\
            <td>\(parameter["description"]?.shown ?? "")</td></tr>

            """
        }
        return """
            <h3>Parameters</h3><div class="wide"><table>
            <tr><th>name</th><th>in</th><th>type</th><th>meaning</th></tr>
            \(rows)</table></div>

            """
    }

    private func body(_ value: ContractValue?) -> HTML {
        guard let body = value.map(resolved) else { return .none }
        let isRequired = body["required"] == .bool(true)
        return """
            <h3>Body\(isRequired ? "" : " (may be left out)")</h3><p>\(contents(body["content"]))</p>

            """
    }

    private func responses(_ value: ContractValue?) -> HTML {
        let rows: [HTML] = (value?.members ?? []).map { member in
            let response = resolved(member.value)
            return """
                <tr><td><code>\(member.name)</code></td><td>\(response["description"]?.shown ?? "")</td>\
                <td>\(contents(response["content"]))</td></tr>

                """
        }
        return """
            <h3>Answers</h3><div class="wide"><table><tr><th>status</th><th>meaning</th><th>body</th></tr>
            \(rows)</table></div>

            """
    }

    /// The media types of a body, and what each holds.
    private func contents(_ value: ContractValue?) -> HTML {
        var html = HTML.none
        for (index, content) in (value?.members ?? []).enumerated() {
            if index > 0 { html += "<br>" }
            html += "<code>\(content.name)</code> \(type(content.value["schema"]))"
        }
        return html
    }
}
