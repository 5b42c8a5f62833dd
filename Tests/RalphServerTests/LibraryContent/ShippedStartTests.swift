import Foundation
import RalphControl
import RalphSessions
import RalphTestSupport
import Testing
import Yams

@testable import RalphServer

/// The shipped files on the way of a start: found by name, and given to ralph with our gate.
@Suite(.timeLimit(.minutes(1))) struct ShippedStartTests {
    private func plan(_ json: String) async throws -> LaunchPlan {
        try await withTemporaryDirectory { root in
            let resolver = StartResolver(
                roots: [root.path], libraries: [Samples.packageRoot + "/library"], home: root.path)
            return try resolver.resolve(StartRequest(RequestObject(Array(json.utf8)))).plan
        }
    }

    @Test(arguments: ShippedFile.all(.configs) + ShippedFile.all(.presets))
    func `a config or preset is found by its name`(_ file: ShippedFile) async throws {
        let plan = try await plan(#"{"config_path":"\#(file.stem)","prompt":"go"}"#)

        #expect(plan.config == file.path.canonicalPath)
    }

    @Test(arguments: ShippedFile.all(.prompts))
    func `a prompt is found by its name`(_ file: ShippedFile) async throws {
        let plan = try await plan(#"{"prompt_path":"\#(file.stem)"}"#)

        #expect(plan.prompt == .file(try #require(file.path.canonicalPath)))
    }

    @Test(arguments: ShippedFile.all(.hats) + ShippedFile.all(.presets))
    func `hats are found by path, the single ones by name too`(_ file: ShippedFile) async throws {
        let name = file.shelf == .hats ? file.stem : file.name
        let plan = try await plan(#"{"hats":"\#(name)","prompt":"go"}"#)

        #expect(plan.hats == file.path.canonicalPath)
    }

    @Test(arguments: ShippedFile.all(.configs) + ShippedFile.all(.presets))
    func `with the gate a file means what it meant`(_ file: ShippedFile) throws {
        let directory = (file.path as NSString).deletingLastPathComponent
        let text = try GeneratedConfig.make(yaml: try file.text(), directory: directory)

        let made = try #require(try Yams.compose(yaml: text))
        #expect(ConfigShape.configuration.check(made, at: "") == [])
        let source = try file.tree()
        for key in source.mapping?.keys.compactMap(\.string) ?? [] { #expect(made[key] == source[key]) }
        #expect(made["hooks"]?["events"]?["pre.iteration.start"]?[0]?["name"]?.string == "pause-gate")
    }
}
