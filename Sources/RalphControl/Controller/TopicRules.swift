import Foundation
import RalphSessions

/// Which topics a person should not append to an events file, and why (contract 2.5).
struct TopicRules: Sendable, Equatable {
    /// Topics of Ralph's own that mean something else when a person writes them.
    private static let reserved: [String: String] = [
        "loop.terminate": "it marks the end of a run: a continued run would lose what came before",
        "iteration.summary": "it is Ralph's own record of an iteration, and nobody else's counts",
        "task.resume": "it is Ralph's own message to a continued run",
        "human.response":
            "it would answer a question past the record of answers; answer the question instead",
        "human.interact": "it would make the run wait for a person",
        "human.guidance.ack": "it would acknowledge guidance in the place of the agent that has not read it",
    ]

    /// Completion topics of the run's configuration.
    var promises: Set<String> = ["LOOP_COMPLETE"]
    /// Cancellation topics of the run's configuration.
    var cancellations: Set<String> = []

    /// The rules for runs of `plan`: the promises of every layer that may count (contract 7.1), because which
    /// of them won is not on disk.
    ///
    /// - Parameters:
    ///   - given: the configuration that the run's process was given. The chosen one counts as well, though it may
    ///     have changed since: a run that was paused by its end is continued with what it says then.
    ///   - user: the user's own configuration.
    init(_ plan: LaunchPlan?, given: String? = nil, workspace: String, user: String?) {
        var files = [plan?.config ?? workspace + "/ralph.yml"]
        if let given { files.append(given) }
        if let user { files.append(user) }
        if let hats = plan?.hats {
            if hats.hasPrefix("/") {
                files.append(hats)
            } else if let promise = HatCollection.builtinPromises[hats] {
                promises.insert(promise)
            } else {
                promises.formUnion(HatCollection.builtinPromises.values)
            }
        }
        for config in files.compactMap(WorkspaceConfig.load(file:)) {
            promises.insert(config.completionPromise)
            if let topic = config.cancellationPromise { cancellations.insert(topic) }
        }
        if let promise = plan?.completionPromise { promises.insert(promise) }
    }

    /// Why a row of `topic` would end or corrupt the run; `nil`: it would not.
    func refusal(of topic: String, payload: String?) -> String? {
        if let reason = Self.reserved[topic] { return reason }
        if promises.contains(topic) { return "it is the run's completion promise and would end it" }
        if cancellations.contains(topic) { return "it is the run's cancellation promise and would end it" }
        if topic == "user.prompt", let payload, RestartWords.isFound(in: payload) {
            return RestartWords.reason
        }
        return nil
    }
}
