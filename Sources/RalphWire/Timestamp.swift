/// Points in time as the wire spells them: RFC 3339, UTC, exactly three fraction digits, `Z`
/// (http-contract 1.3), for example `2026-02-05T10:30:45.123Z`. Values are milliseconds since 1970.
public enum Timestamp {
    /// The length of every text that ``append(_:to:)`` writes, in bytes.
    public static let byteCount = 24

    /// The last millisecond of the year 9999.
    public static let latest: Int64 = 253_402_300_799_999

    /// The wire's text for `milliseconds`, clamped to the years 0000 to 9999.
    public static func text(_ milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        append(milliseconds, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ``byteCount`` bytes of the wire's text for `milliseconds`.
    public static func append(_ milliseconds: Int64, to bytes: inout [UInt8]) {
        let clamped = min(max(milliseconds, -62_167_219_200_000), latest)
        let (days, time) = floorDivide(clamped, by: 86_400_000)
        let (year, month, day) = civil(fromDays: days)
        appendDigits(year, 4, &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendDigits(month, 2, &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendDigits(day, 2, &bytes)
        bytes.append(UInt8(ascii: "T"))
        appendDigits(Int(time / 3_600_000), 2, &bytes)
        bytes.append(UInt8(ascii: ":"))
        appendDigits(Int(time / 60_000 % 60), 2, &bytes)
        bytes.append(UInt8(ascii: ":"))
        appendDigits(Int(time / 1000 % 60), 2, &bytes)
        bytes.append(UInt8(ascii: "."))
        appendDigits(Int(time % 1000), 3, &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Reads an RFC 3339 date and time: any offset, 0 to 9 fraction digits (cut to milliseconds), `T`, `t`
    /// or a space between date and time, a leap second as the second after it. `nil` for anything else.
    public static func parse(_ text: some Collection<UInt8>) -> Int64? {
        text.withContiguousStorageIfAvailable { parse(UnsafeRawBufferPointer($0)) } ?? parse(Array(text)[...])
    }

    /// ``parse(_:)-9kvh4`` for text in memory that somebody else holds.
    public static func parse(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count >= 20,
            let year = number(text, 0, 4), text[4] == UInt8(ascii: "-"),
            let month = number(text, 5, 2), (1...12).contains(month), text[7] == UInt8(ascii: "-"),
            let day = number(text, 8, 2), (1...31).contains(day),
            text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
            let hour = number(text, 11, 2), hour < 24, text[13] == UInt8(ascii: ":"),
            let minute = number(text, 14, 2), minute < 60, text[16] == UInt8(ascii: ":"),
            let second = number(text, 17, 2), second <= 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if text[index] == UInt8(ascii: ".") {
            index += 1
            let start = index
            while index < text.count, let digit = digit(text[index]) {
                if index - start < 3 { fraction = fraction * 10 + Int64(digit) }
                index += 1
            }
            guard (1...9).contains(index - start) else { return nil }
            for _ in 0..<max(0, 3 - (index - start)) { fraction *= 10 }
        }
        guard let offset = zoneOffset(text, at: index), day <= daysInMonth(year, month) else { return nil }
        let seconds = days(fromCivil: year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return (seconds - offset) * 1000 + fraction
    }

    /// Seconds east of UTC of the zone that ends the text at `index`.
    private static func zoneOffset(_ text: UnsafeRawBufferPointer, at index: Int) -> Int64? {
        guard index < text.count else { return nil }
        if text[index] | 0x20 == UInt8(ascii: "z") { return index + 1 == text.count ? 0 : nil }
        let isWest = text[index] == UInt8(ascii: "-")
        guard isWest || text[index] == UInt8(ascii: "+"), index + 6 == text.count,
            let hours = number(text, index + 1, 2), hours < 24, text[index + 3] == UInt8(ascii: ":"),
            let minutes = number(text, index + 4, 2), minutes < 60
        else { return nil }
        let seconds = Int64(hours * 3600 + minutes * 60)
        return isWest ? -seconds : seconds
    }

    private static func digit(_ byte: UInt8) -> Int? {
        let value = Int(byte) - 48
        return (0...9).contains(value) ? value : nil
    }

    private static func number(_ text: UnsafeRawBufferPointer, _ start: Int, _ length: Int) -> Int? {
        guard start + length <= text.count else { return nil }
        var value = 0
        for index in start..<start + length {
            guard let digit = digit(text[index]) else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private static func appendDigits(_ value: Int, _ width: Int, _ bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(48 + value / divisor % 10))
            divisor /= 10
        }
    }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64)
    {
        let remainder = value % divisor
        return remainder < 0
            ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
    }

    private static func daysInMonth(_ year: Int, _ month: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
    private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int64 {
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of ``days(fromCivil:_:_:)``.
    private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let (era, dayOfEra) = floorDivide(shifted, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }
}
