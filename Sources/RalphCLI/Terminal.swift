import ArgumentParser
import Foundation
import RalphServer
import RalphWire
import Synchronization

/// The person's side of a command: lines on standard output, one sentence on standard error when it fails.
enum Terminal {
    /// Whether standard output is a terminal, which colours make sense on.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// A line was not taken in time: later ones do not wait.
    private static let isStuck = Atomic(false)
    /// How long a reader may take for what a person is told, milliseconds.
    private static let patience: Int32 = 1000

    /// One line on standard output, at once, so that scripts can wait for it; controls in it are written out.
    static func say(_ line: String) { draw(TerminalText.safe(line)) }

    /// Lines with colours of our own.
    static func draw(_ text: String) {
        let patience = isStuck.load(ordering: .relaxed) ? 0 : patience
        if !StandardStream.output.write(text + "\n", patience: patience) {
            isStuck.store(true, ordering: .relaxed)
        }
    }

    /// Runs a command; an error becomes a sentence on standard error and the exit status 1.
    ///
    /// - Parameter isServer: whether the lines are told beside what is done, which goes on without a reader.
    static func run(isServer: Bool = false, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            if !isServer { try requireAllTold() }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw fail("\(error)")
        }
    }

    /// - Throws: the exit status 1 behind a sentence where standard output has not taken all that it was to.
    static func requireAllTold() throws(ExitCode) {
        if isStuck.load(ordering: .relaxed) { throw fail("Standard output did not take all of it.") }
    }

    private static func fail(_ sentence: String) -> ExitCode {
        StandardStream.error.write(
            "ralph-mobile-server: \(TerminalText.safe(sentence))\n", patience: patience)
        return .failure
    }
}
