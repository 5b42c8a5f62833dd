/// Why a command cannot do what it was asked to; one sentence for a person.
struct CommandProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
