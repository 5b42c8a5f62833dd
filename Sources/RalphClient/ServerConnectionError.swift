/// Why a server did not answer.
public enum ServerConnectionError: Error, Sendable, CustomStringConvertible {
    /// It cannot be reached, or the connection broke, and why.
    case failed(host: String, port: Int, reason: String)
    /// Its answer did not come in time.
    case tooSlow(host: String, port: Int, seconds: Int)
    /// Its answer has more than ``ServerConnection/maximumReplyBytes``.
    case tooLarge(host: String, port: Int)

    public var description: String {
        switch self {
        case .failed(let host, let port, let reason): "\(host) port \(port) does not answer: \(reason)."
        case .tooSlow(let host, let port, let seconds):
            "\(host) port \(port) did not answer within \(seconds) seconds."
        case .tooLarge(let host, let port):
            "\(host) port \(port) answered more than \(ServerConnection.maximumReplyBytes) bytes."
        }
    }
}
