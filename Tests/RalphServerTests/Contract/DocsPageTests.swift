import Testing

@testable import RalphServer

struct DocsPageTests {
    private static let hostile = """
        openapi: 3.1.0
        info: {title: '<script>alert(1)</script>', version: '"&', description: "a\\n\\n</style><b>"}
        paths:
          /x/{id}:
            parameters: [{$ref: '#/components/parameters/P'}]
            get:
              summary: "\\"><img src=x onerror=alert(1)>"
              parameters: [{name: "q'\\"<", in: query, required: true, schema: {type: [integer, 'null'], minimum: 1}}]
              requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/<S>'}}}}
              responses:
                '200': {description: fine, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/T'}}}}}
                '404': {$ref: '#/components/responses/Missing'}
        components:
          parameters: {P: {name: id, in: path, required: true, schema: {type: string}}}
          responses: {Missing: {description: it is not there}}
          schemas:
            T: {type: object, required: [a], properties: {a: {oneOf: [{const: 1}, {enum: [x, '<y>']}]}, b: {$ref: '#/components/schemas/T'}}}
            <S>: {type: object}
        """

    private func page() throws -> String {
        DocsPage(document: try ContractValue(yaml: Self.hostile)).html.text
    }

    @Test func `nothing of the document becomes markup`() throws {
        let page = try page()

        #expect(!page.contains("<script"))
        #expect(!page.contains("<img"))
        #expect(!page.contains("</style><b>"))
        #expect(!page.contains("q'\""))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.contains("q&#39;&quot;&lt;"))
        #expect(page.contains("href=\"#schema-&lt;S&gt;\""))
    }

    @Test func `an operation has its parameters, statuses and schemas`() throws {
        let page = try page()

        #expect(page.contains("<code>/x/{id}</code>"))
        #expect(page.contains("<code>id</code> *"))
        #expect(page.contains("integer or null <small>from 1</small>"))
        #expect(page.contains("array of <a href=\"#schema-T\">T</a>"))
        #expect(page.contains("<code>404</code></td><td>it is not there"))
        #expect(page.contains("<section id=\"schema-T\">"))
        #expect(page.contains("<code>a</code> *"))
        #expect(page.contains("<code>1</code> or <code>x</code> or <code>&lt;y&gt;</code>"))
    }

    @Test(arguments: [
        "{}", "[]", "5", "paths: 5", "paths: {/a: {get: 5}}", "paths: {/a: {get: {responses: [1]}}}",
    ])
    func `a strange document is a page all the same`(_ yaml: String) throws {
        let page = DocsPage(document: try ContractValue(yaml: yaml)).html.text
        #expect(page.hasSuffix("</html>\n"))
    }

    @Test func `schemas that hold themselves end`() throws {
        let yaml =
            "components: {schemas: {A: {type: array, items: {type: array, items: {type: array, items: {}}}}}}"
        let page = DocsPage(document: try ContractValue(yaml: yaml)).html.text

        #expect(page.contains("array of array of array of"))
    }
}
