import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ContractRoutesTests {
    @Test func `the description is served as JSON, the same each time`() async throws {
        try await withServer { server in
            let first = try await server.get("/openapi.json")
            let object = try first.object()

            #expect(first.headers["content-type"] == "application/json")
            #expect(first.headers["cache-control"] == "no-store")
            #expect(object["openapi"] as? String == "3.1.0")
            let paths = object["paths"] as? [String: Any] ?? [:]
            #expect(paths["/livez"] is [String: Any])
            #expect(try await server.get("/openapi.json").body == first.body)
        }
    }

    @Test func `the page runs nothing and loads nothing`() async throws {
        try await withServer { server in
            let response = try await server.get("/docs")

            #expect(response.headers["content-type"] == "text/html; charset=utf-8")
            #expect(
                response.headers["content-security-policy"]
                    == "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
            )
            #expect(response.headers["x-content-type-options"] == "nosniff")
            #expect(response.headers["referrer-policy"] == "no-referrer")
            #expect(!response.text.contains("<script"))
            #expect(!response.text.contains("src="))
            #expect(!response.text.contains("href=\"http"))
            #expect(response.text.contains("/api/host/metrics"))
        }
    }

    @Test func `what is embedded is the document, byte for byte`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/openapi.yaml")
        #expect(try String(contentsOf: root, encoding: .utf8) == OpenAPIDocument.yaml)
    }

    @Test func `every operation has a name of its own, a summary and answers`() throws {
        let page = DocsPage(document: try ContractValue(yaml: OpenAPIDocument.yaml))
        let names = page.operations.compactMap { $0.value["operationId"]?.string }

        #expect(names.count == page.operations.count)
        #expect(Set(names).count == names.count)
        #expect(page.operations.allSatisfy { $0.value["summary"]?.string != nil })
        #expect(page.operations.allSatisfy { !($0.value["responses"]?.members ?? []).isEmpty })
    }
}
