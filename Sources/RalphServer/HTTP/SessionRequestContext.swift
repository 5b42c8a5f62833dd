import Hummingbird
import Logging

/// What a request carries from the connection to its route.
struct SessionRequestContext: RequestContext {
    /// Where a context comes from: the connection.
    struct Origin: RequestContextSource {
        let logger: Logger
    }

    typealias Source = Origin

    var coreContext: CoreRequestContextStorage

    init(source: Origin) {
        self.coreContext = .init(source: source)
    }
}
