/// Why a command ended without doing its work.
enum StandInError: Error {
    /// The command line is wrong: exit status 2, as its argument parser gives it.
    case usage(String)
    /// Anything else that went wrong: exit status 1.
    case failure(String)

    /// What is written to standard error.
    var message: String {
        switch self {
        case .usage(let text): "error: \(text)\n\nUsage: ralph [OPTIONS] [COMMAND]\n"
        case .failure(let text): "Error: \(text)"
        }
    }

    /// What the program ends with.
    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failure: 1
        }
    }
}
