// What has been found out about the file.
extension EventFeed {
    /// The first damage that a read or a write of the store met, or that the file was removed under us; `nil`: neither.
    /// It stays until the next start, which begins a new store; ``problem`` is gone as soon as events can be stored.
    package var damage: StoreError? { ledger.store.damage }
}
