import Hummingbird
import Logging

/// What a request carries from the connection to its route.
struct SessionRequestContext: RequestContext {
    /// Where a context comes from: the connection.
    struct Origin: RequestContextSource {
        let logger: Logger
        let caller: Caller
    }

    typealias Source = Origin

    var coreContext: CoreRequestContextStorage
    let caller: Caller

    init(source: Origin) {
        caller = source.caller
        self.coreContext = .init(source: source)
    }
}
