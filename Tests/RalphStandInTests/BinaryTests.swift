import Foundation
import RalphTestSupport
import Testing

@Test func `the stand-in is built beside the tests`() {
    #expect(FileManager.default.isExecutableFile(atPath: StandIn.path))
}
