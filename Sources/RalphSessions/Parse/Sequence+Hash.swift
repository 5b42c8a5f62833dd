extension Sequence<UInt8> {
    /// FNV-1a, 64 bits: the same in every process, so that it can be stored.
    var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 } }
}
