import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Every route of the table, tried with every scope.
@Suite(.timeLimit(.minutes(1)))
struct ScopeTests {
    @Test(arguments: PairedDevice.all)
    func `a scope that is too small is a 403 at every route`(_ device: PairedDevice) async throws {
        try await withDevices { server in
            let held = try #require(Scope(rawValue: device.scope))
            for route in RalphServer.makeTable().routes {
                guard let needed = route.scope, held < needed else { continue }
                let response = try await server.send(
                    route.method, Self.target(route.path), "{}", headers: device.headers)

                #expect(response.status == 403, "\(route)")
                #expect(try response.object()["error"] as? String == "insufficient_scope", "\(route)")
                #expect(try response.object()["needed_scope"] as? String == needed.rawValue, "\(route)")
            }
        }
    }

    @Test func `a stranger gets nothing but what is for everybody`() async throws {
        try await withDevices { server in
            for route in RalphServer.makeTable().routes where route.scope != nil {
                let response = try await server.send(route.method, Self.target(route.path), "{}")
                #expect(response.status == 401, "\(route)")
                #expect(response.headers["www-authenticate"] != nil, "\(route)")
            }
        }
    }

    @Test func `a scope that is just enough reads`() async throws {
        try await withDevices { server in
            // The pages with a code ask for more than a scope, and have tests of their own.
            for route in RalphServer.makeTable().routes
            where route.method == "GET" && !route.path.hasPrefix("/pair") {
                let device = PairedDevice.all.first { $0.scope == route.scope?.rawValue } ?? .watch
                let probe = try server.probe()
                // A stream that has nothing to say yet would keep its head back.
                try await probe.request(Self.target(route.path) + "?follow=false", headers: device.headers)
                let status = try await probe.head().status

                #expect(status != 401 && status != 403, "\(route): \(status)")
            }
        }
    }

    @Test func `what a client says of its own scope counts nothing`() async throws {
        try await withDevices { server in
            for name in ["X-Scope", "Scope", "X-Ralph-Scope", "X-Forwarded-User", "X-HTTP-Method-Override"] {
                let headers = PairedDevice.steer.headers.merging([name: "start"]) { $1 }
                let body = #"{"prompt":"x","scope":"start","scopes":["start"]}"#
                let response = try await server.post("/api/sessions?scope=start", body, headers: headers)

                #expect(response.status == 403)
            }
        }
    }

    @Test(arguments: [
        "/api//devices", "//api/devices/", "/api/./devices", "/API/devices", "/api/devices;a",
        "/api/devices#a",
        "/api/%64evices", "/api/devices%20", "/api/x/../devices", "/api%2fdevices", "/api/devices/.",
        "http://localhost/api/devices",
    ])
    func `another spelling of a path opens nothing`(_ target: String) async throws {
        try await withDevices { server in
            for headers in [PairedDevice.watch.headers, PairedDevice.steer.headers] {
                let status = try await server.get(target, headers: headers).status
                #expect([400, 403, 404, 405].contains(status), "\(status)")
            }
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let status = try await server.send(method, target, "{}", headers: PairedDevice.steer.headers)
                    .status
                #expect([400, 403, 404, 405].contains(status), "\(method) \(status)")
            }
        }
    }

    /// A path with something in each of its places.
    private static func target(_ path: String) -> String {
        path.replacing("{path...}", with: "a/b.yml").replacing("{id}", with: "0123456789abcdef")
            .replacing("{name}", with: "x")
    }
}
