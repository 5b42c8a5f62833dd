/// Why a note of the control side did not become what it should, or not yet.
enum ControlNoteProblem: Error, Sendable, Equatable {
    /// As many notes wait as may.
    case busy
    /// No session of this id is to be found.
    case unknownSession
    /// The note still waits to be stored, and will be as soon as the store works.
    case timeout
    /// The server is shutting down.
    case closed
}
