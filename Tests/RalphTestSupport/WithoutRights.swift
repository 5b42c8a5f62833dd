import Foundation

/// Runs `body` as somebody who may not open what only its owner may, also where the tests run as root.
///
/// On Linux root opens files as `nobody` then, on this thread alone (setfsuid(2)); others have no more rights than that.
@discardableResult
public func withoutRights<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if os(Linux)
    // The C module leaves it out.
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let function = dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) }
    if geteuid() == 0 { _ = function?(65534) }
    defer { if geteuid() == 0 { _ = function?(0) } }
    #endif
    return try body()
}
