/// How many tasks ran or waited to run, on average over 1, 5 and 15 minutes: `/proc/loadavg` (proc(5)).
enum LoadAverages {
    /// The first three numbers of the file; `nil` if they are not there.
    static func parse(_ loadavg: [UInt8]) -> [Double]? {
        let numbers = SystemText.fields(loadavg).prefix(3).compactMap { Double($0) }
        return numbers.count == 3 && numbers.allSatisfy { $0.isFinite && $0 >= 0 } ? numbers : nil
    }
}
