/// Whether `pattern` covers `topic` (contract 2.6), each looked at by itself.
public func isTopic(_ topic: String, coveredBy pattern: String) -> Bool {
    if pattern == topic || pattern == "*" { return true }
    let wanted = pattern.split(separator: ".", omittingEmptySubsequences: false)
    let given = topic.split(separator: ".", omittingEmptySubsequences: false)
    return wanted.count == given.count && zip(wanted, given).allSatisfy { $0 == "*" || $0 == $1 }
}
