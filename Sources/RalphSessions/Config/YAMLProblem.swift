/// Why a YAML text is not used; one line.
package struct YAMLProblem: Error, Equatable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static let notText = YAMLProblem("is not UTF-8")
    package static let notMap = YAMLProblem("must be a map")
    package static let tooManyValues = YAMLProblem(
        "more than \(BoundedYAML.maximumValues) values, aliases counted as what they stand for")
    package static let tooMuchText = YAMLProblem(
        "more than \(BoundedYAML.maximumText) bytes of text, aliases counted as what they stand for")

    package static func longer(than bytes: Int) -> YAMLProblem {
        YAMLProblem("more than \(bytes) bytes of YAML are not looked into")
    }
}
