/// The right by which a command is carried out. A device may be revoked while its command waits.
package enum CommandRight {
    /// Whether whoever asked for the command in hand still may; asked when its turn has come.
    @TaskLocal package static var stands: @Sendable () -> Bool = { true }

    /// - Throws: ``ControlError/revoked``.
    static func require() throws(ControlError) {
        guard stands() else { throw .revoked }
    }
}
