import RalphWire

/// A row that is waited for, from before it is written until this is let go of.
final class ExpectedEcho: Sendable {
    let marker: String
    private let landing = Landing<EventEcho?>()
    private let board: EchoBoard

    init(of marker: String, board: EchoBoard) {
        self.marker = marker
        self.board = board
    }

    deinit { board.forget(marker) }

    /// The row's place once it has been published; `nil` when it has not been after `limit`.
    func landing(within limit: Duration) async -> EventEcho? {
        await landing.value(within: limit, otherwise: nil)
    }

    func settle(_ echo: EventEcho?) { landing.settle(echo) }
}
