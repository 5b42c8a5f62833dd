import RalphControl
import RalphWire

/// Every way in which a command can be refused or fail, and how HTTP says it (http-contract 3.4).
extension Problem {
    /// The command that failed: the contract has an error text of its own for some of them.
    enum Action: Sendable, CaseIterable {
        case start, pause, resume, steer, emit, stop, answer

        /// What the error begins with when a file of the session could not be written.
        var writeFailure: String {
            switch self {
            case .start: "failed_to_spawn"
            case .pause: "failed_to_pause"
            case .resume: "failed_to_resume"
            case .steer: "failed_to_write_steering"
            case .emit: "failed_to_emit"
            case .stop: "failed_to_stop"
            case .answer: "failed to write event"
            }
        }
    }

    /// - Parameter action: the command that it happened to.
    init(_ error: ControlError, during action: Action) {
        switch error {
        case .ralphMissing(let text), .failedToSpawn(let text):
            self.init(status: 500, error: "failed_to_spawn: \(Self.oneLine(text))", code: .internalError)
        case .alreadyRunning(let session):
            self.init(
                status: 409, error: "already_running", code: .conflict,
                details:
                    "A run works in this directory; in a git repository \"worktree\": true runs beside it.",
                members: ["session_id": session.rawValue])
        case .alreadyPaused(let session):
            self.init(
                status: 409, error: "already_running", code: .conflict,
                details:
                    "The run of this directory is paused, or is to be, and can go on; what began now would take its place and not run beside it. Resume it first, or stop it.",
                members: ["session_id": session.rawValue])
        case .agentsAtWork(let session, let agents):
            self.init(
                status: 409, error: "already_running", code: .conflict,
                details:
                    "What a run that died has left works on in this directory: \(agents.map(String.init).joined(separator: ", ")). Stop the session first, or wait until that has ended.",
                members: ["session_id": session.rawValue])
        case .wouldInherit(let file):
            self.init(
                status: 409, error: "worktree_would_inherit: \(file)", code: .conflict,
                details:
                    "Ralph copies what git does not ignore into a new worktree, and this file, which was made for the run that works here, would pause or end the loop there. Let git ignore .ralph/, or try again when that run goes on or is over."
            )
        case .notContinuable(let reason):
            self.init(
                status: 409, error: "session_not_continuable", code: .conflict,
                details:
                    "A run that was started elsewhere ends by its pause, and any may end by one with now=1; no resume can continue this one then: \(Self.oneLine(reason))"
            )
        case .notRunning(let status):
            self.init(status: 409, error: "session_not_running: \(status)", code: .conflict)
        case .foreignProcess(let pid, let uid):
            self.init(
                status: 403, error: "foreign_process", code: .forbidden,
                details:
                    "Process \(pid) belongs to \(uid.map { "user \($0)" } ?? "another user") of this machine, not to the server's user."
            )
        case .readOnly:
            self.init(
                status: 409, error: "session_read_only", code: .conflict,
                details: "This session's layout is not known, so nothing is ever written to it.")
        case .unwritable(let path, let reason):
            self.init(
                status: 500, error: "\(action.writeFailure): \(Self.oneLine(reason))", code: .internalError,
                details: path)
        case .unsafePath(let path):
            self.init(
                status: 500, error: "\(action.writeFailure): a path leads out of the workspace",
                code: .internalError, details: path)
        case .topicRefused(let topic, let reason):
            self.init(
                status: 400, error: "invalid_topic: \(Self.oneLine("\(topic): \(reason)"))", code: .badRequest
            )
        case .outsideHatScope(let topic):
            self.init(
                status: 409, error: "outside_hat_scope: \(topic)", code: .conflict,
                details:
                    "The run enforces what its hats publish (enforce_hat_scope): where a hat is at work that does not list this topic, Ralph drops it. Nothing was written."
            )
        case .rowTooLarge(let bytes, let limit):
            self.init(
                status: 413, error: "body_too_large", code: .tooLarge,
                details: "As a row of the events file it would have \(bytes) bytes; \(limit) are allowed.")
        case .failedToStop(let reason):
            self.init(
                status: 500, error: "failed_to_stop: \(Self.oneLine(reason))", code: .internalError)
        case .starting:
            self.init(
                status: 503, error: "run_starting", code: .unavailable,
                details:
                    "The run does not read what it is sent, or has not taken its lock, yet; nothing was written.",
                retryAfter: 2)
        case .ending:
            self.init(
                status: 503, error: "run_ending", code: .unavailable,
                details: "The run still ends by its pause; it can be resumed when it has.", retryAfter: 2)
        case .busy:
            self.init(
                status: 503, error: "busy", code: .unavailable,
                details:
                    "Too many commands wait for this session, or this one did for too long: it was not done.",
                retryAfter: 1)
        case .superseded:
            self.init(
                status: 409, error: "superseded", code: .conflict,
                details:
                    "A stop overtook this command, or somebody let the run go on; what it had begun is over.")
        case .revoked: self = .unauthorized
        }
    }

    static func invalidPath(_ why: String) -> Problem {
        Problem(status: 400, error: "invalid_path: \(why)", code: .badRequest)
    }

    static let invalidTopic = Problem(
        status: 400, error: "invalid_topic: must be non-empty alphanumeric with dots and underscores",
        code: .badRequest)

    /// 404 with the value as it was sent; the real client shows what follows the prefix.
    static func notFound(_ prefix: String, _ value: String) -> Problem {
        Problem(status: 404, error: "\(prefix): \(oneLine(value))", code: .notFound)
    }

    static func memberTooLarge(_ name: String, limit: Int) -> Problem {
        Problem(
            status: 413, error: "body_too_large", code: .tooLarge, details: "\(name) may have \(limit) bytes."
        )
    }

    /// `strict=1`: the session is already as it was asked to be (http-contract 12, row 12).
    static func unchanged(_ state: String) -> Problem {
        Problem(status: 409, error: state, code: .conflict)
    }

    static let idempotencyInProgress = Problem(
        status: 409, error: "idempotency_in_progress", code: .conflict,
        details: "The first request with this Idempotency-Key is still being answered.", retryAfter: 1)

    static let idempotencyConflict = Problem(
        status: 409, error: "idempotency_conflict", code: .conflict,
        details: "This Idempotency-Key was used with another body or query.")

    static let idempotencyInterrupted = Problem(
        status: 409, error: "idempotency_interrupted", code: .conflict,
        details:
            "The server ended while it carried this out, or could not store what came of it. Look what that is; to do it again, use another key."
    )

    static func idempotencyNotKept(_ status: Int) -> Problem {
        Problem(
            status: 409, error: "idempotency_not_kept", code: .conflict,
            details:
                "This was carried out and answered with \(status); the answer was too large to be kept, or the disk was full."
        )
    }

    static let forbiddenOrigin = Problem(
        status: 403, error: "forbidden_origin", code: .forbidden,
        details: "A page of another site may neither send commands to this server nor embed its answers.")

    /// A client's value as part of an error: one line of at most 200 characters.
    static func oneLine(_ text: String) -> String {
        let line = text.unicodeScalars.prefix(800).map { scalar in
            scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029
                ? " " : Character(scalar)
        }
        return String(String(line).prefix(200))
    }
}
