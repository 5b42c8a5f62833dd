import Yams

/// What a `-H` source says, as far as Ralph obeys it (contract 7.1).
package struct HatCollection {
    private static let loopKeys = ["completion_promise", "starting_event", "cancellation_promise"]
    /// Of Ralph's own collections, those that end with another topic than the default (contract 7.3).
    package static let builtinPromises = [
        "builtin:debug": "DEBUG_COMPLETE", "builtin:merge-loop": "MERGE_COMPLETE",
        "builtin:research": "RESEARCH_COMPLETE", "builtin:review": "REVIEW_COMPLETE",
    ]

    /// The map of hats that replaces the configuration's; `nil`: the configuration's stay.
    let hats: Node?
    /// A configuration to lay over the run's own one.
    let overlay: Node

    /// - Parameter root: the map that the file is.
    init(_ root: Node) {
        hats = root["hats"]
        let loop = Self.loopKeys.compactMap { key in root["event_loop"]?[key].map { (Node(key), $0) } }
        overlay = Self.overlay(loop)
    }

    /// A collection that is no file here: what its hats are, only Ralph knows.
    init(unread source: String) {
        hats = Node.mapping([:])
        let promise = Self.builtinPromises[source].map { (Node("completion_promise"), Node($0)) }
        overlay = Self.overlay(promise.map { [$0] } ?? [])
    }

    private static func overlay(_ loop: [(Node, Node)]) -> Node {
        loop.isEmpty ? .mapping([:]) : Node([(Node("event_loop"), Node(loop))])
    }
}
