import Hummingbird
import Logging

/// What a request carries from the connection to its route.
struct SessionRequestContext: RequestContext {
    /// Where a context comes from: the connection.
    struct Origin: RequestContextSource {
        let logger: Logger
        let caller: Caller
        /// The path as it was sent; routes are found by one without doubled slashes.
        var rawPath: Substring = ""
    }

    typealias Source = Origin

    var coreContext: CoreRequestContextStorage
    let caller: Caller
    /// See ``Origin/rawPath``.
    let rawPath: Substring
    /// What the path has in the place of `{id}`, as it was sent; empty where it has none.
    var idSegment: Substring { parameters["id"] ?? "" }

    init(source: Origin) {
        caller = source.caller
        rawPath = source.rawPath
        self.coreContext = .init(source: source)
    }
}
