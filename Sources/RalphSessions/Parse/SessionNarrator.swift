package import RalphWire

/// Lines of a session in, items of an ``EventBatch`` and derived `server` events out.
///
/// A value without clock, files or waiting: the same state and the same lines give the same items.
package struct SessionNarrator: Sendable {
    package internal(set) var state: SessionState
    /// The workspace's configuration, for hats and limits; may change at any time.
    package var workspace: WorkspaceConfig?

    package init(state: SessionState, workspace: WorkspaceConfig?) {
        self.state = state
        self.workspace = workspace
    }

    package mutating func readEngineLine(
        _ line: UnsafeRawBufferPointer, file: String, generation: Int, offset: Int64, fileTime: Int64,
        into batch: inout EventBatch
    ) {}

    package mutating func readAgentLine(
        _ line: UnsafeRawBufferPointer, file: String, generation: Int, offset: Int64, fileTime: Int64,
        into batch: inout EventBatch
    ) {}

    package mutating func finishAgentRead(into batch: inout EventBatch) {}

    package mutating func skipOverlongLine(
        bytes: Int64, file: String, generation: Int, offset: Int64, now: Int64, into batch: inout EventBatch
    ) {}

    package mutating func noteFileChange(
        _ change: TailChange, file: String, now: Int64, into batch: inout EventBatch
    ) {}

    package static func readArchivedLine(
        _ line: UnsafeRawBufferPointer, context: EventBatch.Context, contextIndex: Int32, offset: Int64,
        fileTime: Int64, into batch: inout EventBatch
    ) {}
}
