import Foundation
import RalphServer
import RalphTestSupport
import Testing
import Yams

/// The routes are written down three times, and the three must say the same.
struct RouteListTests {
    @Test func `the OpenAPI document has exactly the routes that are served`() throws {
        let served = Set(RalphServer.routes.map(Self.anonymous))
        let documented = Set(try Self.operations().keys.map(Self.anonymous))

        #expect(served.subtracting(documented).sorted() == [], "docs/openapi.yaml lacks them")
        #expect(
            documented.subtracting(served).sorted() == [],
            "docs/openapi.yaml has them, and they are not served")
    }

    @Test func `the table of the HTTP interface has exactly the routes that are served`() throws {
        let served = RalphServer.routes.map(Self.anonymous)
        let rows = try Self.rows().map(Self.anonymous)

        #expect(Set(served).subtracting(rows).sorted() == [], "docs/http-api.md lacks them")
        #expect(
            Set(rows).subtracting(served).sorted() == [], "docs/http-api.md has them, and they are not served"
        )
        #expect(rows.count == Set(rows).count, "a row stands twice in docs/http-api.md")
    }

    @Test func `every operation has a name of its own and says how it can fail`() throws {
        let operations = try Self.operations()
        let names = operations.values.compactMap { $0["operationId"] as? String }

        #expect(names.count == operations.count)
        #expect(Set(names).count == names.count)
        for (route, operation) in operations {
            let statuses = (operation["responses"] as? [String: Any])?.keys.sorted() ?? []
            #expect(statuses.contains { $0.hasPrefix("2") }, "\(route)")
            #expect(Set(["401", "413", "421", "431", "503"]).isSubset(of: statuses), "\(route)")
        }
    }

    @Test func `every reference of the OpenAPI document leads somewhere`() throws {
        let document = try Self.document()
        for reference in Self.references(document) {
            var node: Any? = document
            for part in reference.dropFirst(2).split(separator: "/") {
                let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
                node = (node as? [String: Any])?[String(name)]
            }
            #expect(node != nil, "\(reference)")
        }
    }

    @Test func `a stream that may be a page has the parameters of a page`() throws {
        let components = try Self.document()["components"] as? [String: Any]
        let parameters = try #require(components?["parameters"] as? [String: [String: Any]])
        func names(_ route: String) throws -> Set<String> {
            let own = try #require(try Self.operations()[route]?["parameters"] as? [[String: Any]])
            let references = own.compactMap { ($0["$ref"] as? String)?.split(separator: "/").last }
            return Set(references.compactMap { parameters[String($0)]?["name"] as? String })
        }

        let page = try names("GET /api/sessions/{id}/history")
        let stream = try names("GET /api/sessions/{id}/events")
        #expect(page.contains("before_seq"))
        #expect(page.subtracting(stream).sorted() == [])
    }

    @Test func `no text of the OpenAPI document is cut at a comma`() throws {
        // What stands behind the comma would be a member without a value.
        #expect(Self.membersWithoutValue(try Self.document()) == [])
    }

    // MARK: Reading

    private static func text(_ name: String) throws -> String {
        try String(contentsOfFile: Samples.packageRoot + "/docs/" + name, encoding: .utf8)
    }

    private static func document() throws -> [String: Any] {
        try #require(try Yams.load(yaml: text("openapi.yaml")) as? [String: Any])
    }

    /// `METHOD /path` and what the document says of it.
    private static func operations() throws -> [String: [String: Any]] {
        let paths = try #require(try document()["paths"] as? [String: [String: Any]])
        var operations: [String: [String: Any]] = [:]
        for (path, item) in paths {
            for method in ["get", "put", "post", "delete", "patch", "head", "options"] {
                guard let operation = item[method] as? [String: Any] else { continue }
                operations["\(method.uppercased()) \(path)"] = operation
            }
        }
        return operations
    }

    private static func rows() throws -> [String] {
        try text("http-api.md").split(separator: "\n").compactMap { line in
            guard let match = line.firstMatch(of: /^\| `([A-Z]+ \/[^`?]*)` \|/) else { return nil }
            return String(match.1)
        }
    }

    private static func references(_ node: Any) -> [String] {
        if let object = node as? [String: Any] {
            let own = (object["$ref"] as? String).map { [$0] } ?? []
            return own + object.values.flatMap(references)
        }
        return (node as? [Any])?.flatMap(references) ?? []
    }

    private static func membersWithoutValue(_ node: Any) -> [String] {
        if let object = node as? [String: Any] {
            let own = object.filter { $0.value is NSNull }.keys
            return own + object.values.flatMap(membersWithoutValue)
        }
        return (node as? [Any])?.flatMap(membersWithoutValue) ?? []
    }

    /// A route without the names of its parameters, which may differ.
    private static func anonymous(_ route: String) -> String {
        route.replacing(/\{[^}]*\}/, with: "{}")
    }
}
