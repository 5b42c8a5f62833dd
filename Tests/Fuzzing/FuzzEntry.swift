import Foundation

/// What libFuzzer calls with one input after another; `RALPH_FUZZ_TARGET` says what for.
///
/// - Returns: 0; a promise that an input breaks ends the program, which is how libFuzzer learns of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(FuzzFinding) {
        try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        fatalError("\(target.rawValue): \(error.text)")
    }
    return 0
}

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["RALPH_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("RALPH_FUZZ_TARGET names no target: \(name)")
    }
    return target
}()
