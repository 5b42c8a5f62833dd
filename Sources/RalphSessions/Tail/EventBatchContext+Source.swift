package import RalphWire

extension EventBatch.Context {
    /// Whether the events come from the output of a run, not from an events file.
    package var isAgentOutput: Bool { TailSource.isAgentOutput(file) }
}
