import Foundation
import RalphTestSupport
import Testing
import Yams

/// One file of the package's `library/`.
struct ShippedFile: Sendable, CustomTestStringConvertible {
    /// The folders of the library.
    enum Shelf: String, CaseIterable {
        case configs, hats, presets, prompts, skills
    }

    let shelf: Shelf
    /// Relative to the library, such as `presets/feature.yml`.
    let name: String

    /// Absolute.
    var path: String { Samples.packageRoot + "/library/" + name }

    var testDescription: String { name }

    /// What a start calls it by: the file's stem, for a skill its folder.
    var stem: String {
        let path = shelf == .skills ? (name as NSString).deletingLastPathComponent : name
        return ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    }

    /// The files of a shelf, hidden ones left out, by name. None if the folder is missing, which a test
    /// notices.
    static func all(_ shelf: Shelf) -> [ShippedFile] {
        let files = FileManager.default.enumerator(atPath: Samples.packageRoot + "/library/" + shelf.rawValue)
        return (files?.allObjects ?? []).compactMap { $0 as? String }
            .filter { !$0.hasPrefix(".") && !($0 as NSString).pathExtension.isEmpty }
            .sorted()
            .map { ShippedFile(shelf: shelf, name: shelf.rawValue + "/" + $0) }
    }

    static var everything: [ShippedFile] { Shelf.allCases.flatMap(all) }

    /// - Throws: if it is not UTF-8.
    func text() throws -> String {
        try #require(String(validating: [UInt8](Data(contentsOf: URL(fileURLWithPath: path))), as: UTF8.self))
    }

    /// The tree of a YAML file; doubled keys are refused by the reader.
    func tree() throws -> Node { try #require(try Yams.compose(yaml: text())) }

    /// The first line without the signs of a comment or a heading.
    func title() throws -> String {
        let line = try text().split(separator: "\n", maxSplits: 1).first ?? ""
        return line.drop { $0 == "#" || $0 == " " }.trimmingCharacters(in: .whitespaces)
    }
}
