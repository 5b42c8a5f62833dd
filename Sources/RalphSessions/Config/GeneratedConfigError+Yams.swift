import Yams

extension GeneratedConfigError {
    /// The sentence of `error` without the text of the configuration, which may hold secrets.
    package init(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(line: mark.line, problem: problem)
        case .reader(let problem, _, _, _): self.init(line: nil, problem: problem)
        case .duplicatedKeysInMapping(let keys, let context):
            self.init(line: context.mark.line, problem: "\(keys.joined(separator: ", ")) is there twice")
        case .writer(let problem), .emitter(let problem), .representer(let problem):
            self.init(line: nil, problem: problem)
        default: self.init(line: nil, problem: "is no YAML")
        }
    }
}
