import Foundation

/// Runs `body` while this process can open nothing (`EMFILE`, getrlimit(2)).
///
/// That holds for all of the process, so that `body` must be short.
@discardableResult
public func withoutDescriptors<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if os(Linux)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(resource, &none)
    defer { setrlimit(resource, &limit) }
    return try body()
}
