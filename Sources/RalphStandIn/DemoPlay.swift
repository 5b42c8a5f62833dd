/// What the scripted agent does in a demonstration: planner, builder and reviewer in turns, a few seconds each.
struct DemoPlay {
    /// What the agent was given.
    let prompt: String
    /// The number of the turn.
    let iteration: Int
    /// Whether a person has said something that was not acknowledged yet.
    let hasNewGuidance: Bool
    /// A question comes in every so many iterations: about once a minute.
    private static let questionInterval = 15
    /// A slice is rejected in every so many iterations.
    private static let rejectionInterval = 9
    /// Every hat has its turn within so many iterations.
    private static let round = 3

    private static let slices = [
        "count the words of one file", "accept several files", "print a total", "read standard input",
        "handle files that are missing", "add a flag for lines", "write the manual page",
    ]

    private var slice: String { Self.slices[(iteration / 3) % Self.slices.count] }

    /// The steps of this turn, chosen by the hat that the prompt names.
    var steps: [AgentStep] {
        var steps = heard
        if prompt.contains("## ACTIVE HAT: builder") {
            steps += builder
        } else if prompt.contains("## ACTIVE HAT: reviewer") {
            steps += reviewer
        } else {
            steps += planner
        }
        return steps
    }

    /// Whatever a person said is acknowledged, so that it does not stand in the way of the end.
    private var heard: [AgentStep] {
        hasNewGuidance ? [.say("I have read your guidance and will follow it.")] : []
    }

    private var planner: [AgentStep] {
        let question: [AgentStep] =
            iteration % Self.questionInterval < Self.round && iteration >= Self.questionInterval
            ? [.ask("Slice done. Shall I go on with: \(slice)?")] : []
        return [
            .say("Reading the goal and what is there already."),
            .tool(name: "Read", input: #"{"file_path":"README.md"}"#), .wait(milliseconds: 1200),
            .say("The next slice: \(slice)."), .wait(milliseconds: 1300),
            .usage(input: 21_400 + iteration * 37, output: 310, cost: "0.021"),
        ] + acknowledgement + question + [
            .emit(topic: "slice.planned", payload: "Slice \(iteration): \(slice)")
        ]
    }

    private var builder: [AgentStep] {
        [
            .say("Building: \(slice)."),
            .tool(name: "Edit", input: #"{"file_path":"src/count.py"}"#), .wait(milliseconds: 1500),
            .tool(name: "Bash", input: #"{"command":"python3 -m pytest -q"}"#), .wait(milliseconds: 1800),
            .say("All tests pass."), .usage(input: 38_900 + iteration * 41, output: 1240, cost: "0.087"),
        ] + acknowledgement + [.emit(topic: "slice.built", payload: "Slice \(iteration): tests pass")]
    }

    private var reviewer: [AgentStep] {
        let isRejected = iteration % Self.rejectionInterval >= Self.rejectionInterval - Self.round
        return [
            .say("Reviewing the change."),
            .tool(name: "Bash", input: #"{"command":"git diff --stat"}"#), .wait(milliseconds: 1600),
            .say(isRejected ? "A test for the empty file is missing." : "This is good."),
            .usage(input: 30_100 + iteration * 29, output: 420, cost: "0.043"), .wait(milliseconds: 600),
        ] + acknowledgement + [
            isRejected
                ? .emit(topic: "slice.rejected", payload: "A test is missing (\(iteration))")
                : .emit(topic: "slice.accepted", payload: "Accepted in iteration \(iteration)")
        ]
    }

    private var acknowledgement: [AgentStep] {
        hasNewGuidance ? [.emit(topic: "human.guidance.ack", payload: "Understood (\(iteration))")] : []
    }
}
