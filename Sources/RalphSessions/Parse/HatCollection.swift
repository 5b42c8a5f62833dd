import Yams

/// What a `-H` source says, as far as Ralph obeys it (contract 7.1): three keys of `event_loop`, and hats, which take the
/// place of the configuration's as a whole, other than the contract's "maps merge" says.
package struct HatCollection {
    private static let loopKeys = ["completion_promise", "starting_event", "cancellation_promise"]
    /// With what topic Ralph's own collections end (contract 7.3).
    package static let builtinPromises = [
        "builtin:autoresearch": "LOOP_COMPLETE", "builtin:code-assist": "LOOP_COMPLETE",
        "builtin:pdd-to-code-assist": "LOOP_COMPLETE", "builtin:debug": "DEBUG_COMPLETE",
        "builtin:merge-loop": "MERGE_COMPLETE",
        "builtin:research": "RESEARCH_COMPLETE", "builtin:review": "REVIEW_COMPLETE",
    ]

    /// The map of hats that replaces the configuration's; `nil`: the configuration's stay.
    let hats: Node?
    /// Whether that is all of them.
    let isKnown: Bool
    /// A configuration to lay over the run's own one.
    let overlay: Node

    /// - Parameter root: the map that the file is.
    init(_ root: Node) {
        hats = root["hats"]
        isKnown = true
        let loop = Self.loopKeys.compactMap { key in root["event_loop"]?[key].map { (Node(key), $0) } }
        overlay = Self.overlay(loop)
    }

    /// A collection that is no file here: what its hats are, only Ralph knows.
    init(unread source: String) {
        hats = Node.mapping([:])
        isKnown = false
        let promise = Self.builtinPromises[source].map { (Node("completion_promise"), Node($0)) }
        overlay = Self.overlay(promise.map { [$0] } ?? [])
    }

    private static func overlay(_ loop: [(Node, Node)]) -> Node {
        loop.isEmpty ? .mapping([:]) : Node([(Node("event_loop"), Node(loop))])
    }
}
