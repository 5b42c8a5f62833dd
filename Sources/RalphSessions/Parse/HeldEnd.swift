/// An `iteration_end` line that waits for another one of its iteration, which would count in its place.
///
/// With some agents Ralph writes two of them (contract 4.8): that of the agent's stream, and its own.
struct HeldEnd: Sendable, Codable, Equatable {
    /// Longer objects are told at once.
    static let maximumBytes = 4096

    let iteration: Int
    let file: String
    let generation: Int
    let offset: Int64
    /// Milliseconds since 1970.
    let fileTime: Int64
    /// The object as it stands in the file, or its repaired text.
    let text: String
    let isRepaired: Bool
    /// The ``AgentPlace/stretch`` of the events before it.
    let stretch: Int64
    /// Lines behind it have become events.
    var isPassed = false

    var place: LinePlace { LinePlace(file: file, generation: generation, offset: offset, fileTime: fileTime) }

    func isSame(as other: HeldEnd) -> Bool { isOf(other.place) && offset == other.offset }

    /// Whether it is of the file that `place` is in.
    func isOf(_ place: LinePlace) -> Bool { file == place.file && generation == place.generation }
}
