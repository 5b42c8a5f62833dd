import RalphControl
import RalphWire

/// What logs say of errors: what went wrong, and never what a person or a program said, which may be a prompt, a
/// payload or a secret.
enum LoggedError {
    static func text(_ error: any Error) -> String {
        switch error {
        case let problem as Problem: "\(problem.status) \(word(problem))"
        case let error as ControlError: error.kind
        case is DecodingError, is EncodingError: "\(type(of: error))"
        default: "\(error)"
        }
    }

    /// The machine string up to its colon where that is ours alone: a word, or what failed here. Other sentences say what
    /// a client sent.
    private static func word(_ problem: Problem) -> Substring {
        let word = problem.error.prefix { $0 != ":" }
        let isWord = word.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        return isWord || problem.status >= 500 ? word : problem.code.rawValue[...]
    }
}
