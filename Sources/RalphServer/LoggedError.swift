import RalphControl
import RalphWire

/// What logs say of errors: what went wrong, and never what a person or a program said, which may be a prompt, a
/// payload or a secret.
enum LoggedError {
    static func text(_ error: any Error) -> String {
        switch error {
        case let problem as Problem: "\(problem.status) \(problem.error.prefix { $0 != ":" })"
        case let error as ControlError: error.kind
        case is DecodingError, is EncodingError: "\(type(of: error))"
        default: "\(error)"
        }
    }
}
