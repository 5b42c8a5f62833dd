/// The decimal digits of a number that is not negative, without a `String`: at most 19.
struct DecimalDigits {
    /// How many digits there are.
    let count: Int
    private let value: UInt64

    /// The digits of `value`; a negative one counts as 0.
    init(_ value: Int64) {
        self.value = UInt64(max(0, value))
        var count = 1
        var bound: UInt64 = 10
        while self.value >= bound {
            count += 1
            bound *= 10
        }
        self.count = count
    }

    /// Writes the digits to `target + offset` and gives the offset behind them.
    func write(to target: UnsafeMutableRawPointer, at offset: Int) -> Int {
        var rest = value
        var position = offset + count
        while position > offset {
            position -= 1
            let quotient = rest / 10
            (target + position).storeBytes(of: UInt8(48 + rest - quotient * 10), as: UInt8.self)
            rest = quotient
        }
        return offset + count
    }
}
