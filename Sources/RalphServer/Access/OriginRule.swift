import NIOHTTP1

/// Which web pages may send requests that do something (design 8). A page of another site can send one, though
/// it cannot read the answer.
struct OriginRule: Sendable {
    private let hosts: HostRule
    private let crossOrigin: CrossOriginPolicy

    init(hosts: HostRule, crossOrigin: CrossOriginPolicy) {
        self.hosts = hosts
        self.crossOrigin = crossOrigin
    }

    /// Whether a request may go on: it changes nothing and no page of another site made it, or it comes from no
    /// page, from one of ours, or from one that was declared.
    func allows(_ method: HTTPMethod, _ headers: HTTPHeaders) -> Bool {
        let isReading = [.GET, .HEAD, .OPTIONS].contains(method) && !headers.contains(name: "upgrade")
        if headers.contains(name: "origin") {
            return isReading && !isEmbedded(headers) || isFromHere(headers)
        }
        let site = headers.first(name: "sec-fetch-site")?.lowercased()
        if site == nil || site == "none" || site == "same-origin" { return true }
        // Somebody followed a link to us, and sees what comes in a window of its own.
        return isReading && !isEmbedded(headers)
    }

    /// Whether a page of another site asks for something to show or run inside itself (Fetch Metadata,
    /// `Sec-Fetch-*`); what such a page asks for by script bears an `Origin`, and it reads no answer that it may
    /// not.
    private func isEmbedded(_ headers: HTTPHeaders) -> Bool {
        guard let site = headers.first(name: "sec-fetch-site")?.lowercased(),
            site == "cross-site" || site == "same-site"
        else { return false }
        return headers.first(name: "sec-fetch-mode")?.lowercased() != "navigate"
            || headers.first(name: "sec-fetch-dest")?.lowercased() != "document"
    }

    private func isFromHere(_ headers: HTTPHeaders) -> Bool {
        guard let origin = headers.first(name: "origin"), headers["origin"].count == 1,
            let page = WebOrigin(origin)
        else { return false }
        if page.isLoopback || hosts.isDeclared(page.host) || crossOrigin.allows(page) { return true }
        // A page that we served ourselves: by a literal, or a name that nobody else can answer for. Any machine
        // of the network can call itself `*.local`.
        return origin.lowercased().hasSuffix("://" + (headers.first(name: "host")?.lowercased() ?? "/"))
            && !page.host.hasSuffix(".local")
    }
}
