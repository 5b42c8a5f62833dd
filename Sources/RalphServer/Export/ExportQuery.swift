import RalphWire

/// Which page of an export is asked for.
struct ExportQuery: Sendable {
    /// The number before the first event.
    let after: Int64
    /// What the pages before ended with.
    let chain: HashChain
    /// The store that ``after`` counts in; `nil`: the present one.
    let epoch: String?
    let limit: Int64

    /// - Throws: ``Problem`` 400 for values that are none.
    init(_ query: String?) throws(Problem) {
        let items = try QueryItems(query)
        after = try items.integer("after_seq", in: 0...Int64.max / 2) ?? 0
        limit =
            try items.integer("limit", in: 1...Int64(SessionExport.maximumEvents))
            ?? Int64(SessionExport.maximumEvents)
        epoch = items["epoch"]
        guard let text = items["chain"] else {
            chain = HashChain()
            return
        }
        guard let chain = HashChain(text) else {
            throw .invalidRequest("chain must be the 64 hexadecimal digits of a page's trailer")
        }
        self.chain = chain
    }

    /// The query of the page behind `seq`.
    func next(after seq: Int64, chain: HashChain, epoch: String) -> String {
        let limit = limit < Int64(SessionExport.maximumEvents) ? "&limit=\(limit)" : ""
        return "?after_seq=\(seq)&chain=\(chain.text)&epoch=\(epoch)\(limit)"
    }
}
