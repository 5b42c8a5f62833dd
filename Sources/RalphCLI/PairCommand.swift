import ArgumentParser
import Foundation
import RalphServer
import RalphWire

/// `ralph-mobile-server pair`: shows a QR code with which one device gets a token of its own.
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Show a QR code with which one device gets a token of its own.",
        discussion: """
            The server must be running, started by the same user with the same --root or --state-dir. The ticket in \
            the code counts once and for three minutes.
            """)

    @OptionGroup var place: PlaceOptions
    @Option(
        help: "What the device may do: watch, answer, steer or start. Default: steer.",
        transform: PairCommand.scope)
    var scope: Scope?
    @Option(help: "What the device is called. Default: as it calls itself.")
    var name: String?
    @Option(help: "Write the code as a PNG picture to this file too.")
    var png: String?
    @Option(help: "Write the code as an SVG picture to this file too.")
    var svg: String?

    func run() async throws {
        try await Terminal.run {
            umask(0o077)
            let server = try LocalServer(stateDirectory: try place.stateDirectory())
            let pictures = try CodePictures(png: png, svg: svg)
            do {
                try await invite(server, pictures)
            } catch {
                pictures.discard()
                throw error
            }
        }
    }

    /// Asks for a ticket and shows it.
    private func invite(_ server: LocalServer, _ pictures: CodePictures) async throws {
        var body = ["scope": (scope ?? .steer).rawValue]
        body["name"] = name
        let invitation = try await server.send(
            "POST", "/api/pairing/tickets", body: body, as: PairingInvitation.self)
        guard let code = QRCode(invitation.link) else {
            throw CommandProblem("The link is too long for a QR code: \(invitation.link)")
        }
        try pictures.write(code)
        Terminal.draw(code.terminalText(isColoured: Terminal.isInteractive))
        lines(invitation, server).forEach(Terminal.say)
    }

    private static func scope(_ text: String) throws -> Scope {
        guard let scope = Scope(rawValue: text) else {
            throw ValidationError("A scope is watch, answer, steer or start, not \(text).")
        }
        return scope
    }

    private func lines(_ invitation: PairingInvitation, _ server: LocalServer) -> [String] {
        var lines = [
            "Ticket   \(invitation.typed)",
            "Link     \(invitation.link)",
            "Server   \(invitation.hosts.joined(separator: ", "))",
            "Expires  \(invitation.expires_at), after one use or three minutes",
            "Allows   \(allowed(invitation.scope))",
            "Page     \(server.base)/pair?t=\(invitation.ticket)",
        ]
        if invitation.local_only {
            let reason = LocalOnlyReason.text(bound: server.contents.host)
            lines.append("No other machine can reach this server: \(reason).")
        }
        return lines
    }

    private func allowed(_ scope: Scope) -> String {
        let words = scope.all.map { scope in
            switch scope {
            case .watch: "watch"
            case .answer: "answer questions and give guidance"
            case .steer: "steer, pause and resume, change tasks and memories"
            case .start: "start and stop runs, change configurations, pair and revoke devices"
            }
        }
        return words.joined(separator: "; ")
    }
}
