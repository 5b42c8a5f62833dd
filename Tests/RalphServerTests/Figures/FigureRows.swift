import RalphWire

@testable import RalphServer

/// Rows of the orchestrator for the events file of a run.
struct FigureRows {
    /// Milliseconds since 1970 of the start.
    let start: Int64

    func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "") -> String {
        let time = Timestamp.text(start + Int64(second) * 1000)
        return
            #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","payload":"\#(payload)"}"#
            + "\n"
    }

    func begin(_ second: Int = 0) -> String { row(second, 0, "task.start", "go") }

    func summary(_ second: Int, _ iteration: Int, output: Int, cost: Double = 0) -> String {
        row(
            second, iteration, "iteration.summary",
            #"{\"duration_ms\":900,\"cost_usd\":\#(cost),\"input_tokens\":11,\"output_tokens\":\#(output)}"#)
    }

    func end(_ second: Int, _ iteration: Int) -> String {
        row(second, iteration, "loop.terminate", "## Reason\\ncompleted")
    }
}
