import Testing

@testable import RalphServer

struct WebOriginTests {
    @Test(arguments: [
        "null", "", "*", "localhost", "http://", "http:///", "http://a/", "http://a/b", "http://a?b",
        "http://u@a",
        "http://a:", "http://a:70000", "http://a:-1", "http://a:+1", "http://a b", "http://[::1",
        "http://::1",
        "http://[]", "http://[zz]", "://a", "1http://a", "http://a,http://b", "http://a http://b",
        "http://-a",
        "http://.a", "http://*.a", "http://a:80:80", "http://[::1].evil.example", "file://",
    ])
    func `what is not exactly one origin is none`(_ text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test(arguments: [
        ("http://localhost", true), ("https://LOCALHOST:3000", true), ("http://a.localhost", true),
        ("http://127.0.0.1:5173", true), ("http://127.9.9.9", true), ("http://[::1]:8080", true),
        ("http://localhost.evil.example", false), ("http://127.0.0.1.nip.io", false),
        ("http://evil.example", false), ("http://128.0.0.1", false), ("http://127.0.0.256", false),
        ("http://127.0.0", false), ("http://[::2]", false),
    ])
    func `only names and addresses of this machine are loopback`(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(WebOrigin(text)).isLoopback == isLoopback)
    }

    @Test func `a last dot is no part of a name, and a name has its length`() {
        #expect(WebOrigin("http://a.local.:80")?.host == "a.local")
        #expect(WebOrigin("http://.") == nil)
        #expect(CrossOriginPolicy.Rule("A.example.") == .host("a.example"))
        #expect(HostRule(declared: ["A.example."]).isDeclared("a.example"))
        #expect(WebOrigin("http://" + String(repeating: "a", count: 290) + ".local") == nil)
    }

    @Test func `the scheme's own port is none`() {
        #expect(WebOrigin("https://a:443") == WebOrigin("HTTPS://A"))
        #expect(WebOrigin("https://a:80") != WebOrigin("https://a"))
        #expect(WebOrigin("http://a") != WebOrigin("https://a"))
    }

    @Test(arguments: [
        "*", "null", "NULL", "", "https://", "https://a/", "https://*", "a/b", "a b", "a:80",
        "https://a/path",
        "-a", "ü.example",
    ])
    func `a setting that is no origin and no host is refused`(_ text: String) {
        #expect(CrossOriginPolicy.Rule(text) == nil)
        #expect(throws: ConfigurationProblem.self) {
            var flags = ServerConfiguration.Flags()
            flags.roots = ["/"]
            flags.allowedOrigins = [text]
            _ = try ServerConfiguration(flags, environment: [:])
        }
    }

    @Test func `a host stands for its pages from any port, an origin for itself`() throws {
        let policy = CrossOriginPolicy(allowed: [
            "host.example", "https://one.example:8443", "capacitor://app",
        ])
        func allows(_ text: String) throws -> Bool { policy.allows(try #require(WebOrigin(text))) }

        #expect(try allows("http://host.example:1234"))
        #expect(try allows("https://HOST.example"))
        #expect(try allows("https://one.example:8443"))
        #expect(try allows("capacitor://app"))
        #expect(try !allows("https://one.example"))
        #expect(try !allows("http://one.example:8443"))
        #expect(try !allows("https://sub.host.example"))
        #expect(try !allows("capacitor://host.example"))
        #expect(try !allows("ftp://localhost"))
    }
}
