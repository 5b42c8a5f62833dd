import ArgumentParser

/// The `ralph-mobile-server` command; without a subcommand it serves.
@main
struct RalphCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ralph-mobile-server",
        abstract: "Watch Ralph loops from a phone, a browser or curl.",
        subcommands: [Serve.self],
        defaultSubcommand: Serve.self)
}
