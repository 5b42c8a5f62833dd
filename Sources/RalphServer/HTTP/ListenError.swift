import Foundation
import RalphWire

/// The address could not be bound.
struct ListenError: Error, CustomStringConvertible {
    let host: String
    let port: Int
    let errnoCode: Int32

    /// Why, as a part of a sentence.
    var reason: String {
        switch errnoCode {
        case EADDRINUSE: "Address already in use"
        case EACCES: "Permission denied (ports below 1024 need privileges)"
        case EADDRNOTAVAIL: "No such address on this machine"
        default: String(cString: strerror(errnoCode))
        }
    }

    var description: String {
        let address = PairingAddress.text(host: host, port: port)
        return
            "Cannot listen on \(address): \(reason). Choose another with --port or --bind, or in RALPH_MOBILE_SERVER_BIND if that is set."
    }
}
