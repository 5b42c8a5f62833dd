import ArgumentParser
@main struct RalphCommand: AsyncParsableCommand {}
