extension Duration {
    /// Whole milliseconds; what is left over is cut off.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
