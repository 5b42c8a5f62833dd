import Foundation
import Logging
import ServiceLifecycle

/// Looks again and again at the certificate that is served: it may end long after the start.
struct CertificateWatch: Service {
    let setup: TLSSetup
    let logger: Logger
    /// How long the watch rests between two looks.
    var interval: Duration = .seconds(86_400)

    /// Tells in the log what is wrong with the certificate, at each look, until the service ends.
    func run() async throws {
        // Cancelled and asked to stop are the same here.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: interval)
                if let complaint = setup.complaint(at: Date()) { logger.warning("\(complaint)") }
            }
        }
    }
}
