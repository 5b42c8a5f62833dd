extension QuestionBook {
    /// What became of an answer that was taken.
    struct Delivery: Sendable, Equatable {
        /// When the run was given it, or when it was stored: milliseconds since 1970.
        let at: Int64
        /// It is stored, and will be delivered when the run waits for it, or can be given it.
        let isPending: Bool
    }
}
