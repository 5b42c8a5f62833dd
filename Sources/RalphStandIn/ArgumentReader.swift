/// Takes a command line apart, one argument at a time.
struct ArgumentReader {
    /// One argument.
    enum Argument: Equatable {
        /// Begins with a dash; a value glued on with `=` is handed out by ``value()``.
        case option(String)
        case word(String)
    }

    private var rest: ArraySlice<String>
    private var glued: String?
    private var option = ""

    /// Reads these arguments, without the program's name.
    init(_ arguments: [String]) { rest = arguments[...] }

    /// The next argument; `nil` at the end.
    mutating func next() throws(StandInError) -> Argument? {
        if glued != nil { throw .usage("unexpected value for '\(option)'") }
        guard let text = rest.popFirst() else { return nil }
        guard text.hasPrefix("-"), text.count > 1 else { return .word(text) }
        if text.hasPrefix("--"), let sign = text.firstIndex(of: "=") {
            glued = String(text[text.index(after: sign)...])
            option = String(text[..<sign])
        } else {
            option = text
        }
        return .option(option)
    }

    /// The value of the option that came last.
    mutating func value() throws(StandInError) -> String {
        if let value = glued {
            glued = nil
            return value
        }
        guard let value = rest.popFirst() else { throw .usage("a value is required for '\(option)'") }
        return value
    }

    /// The value of the option that came last, as a number.
    mutating func number() throws(StandInError) -> Int {
        let text = try value()
        guard let number = Int(text), number >= 0 else {
            throw .usage("invalid value '\(text)' for '\(option)'")
        }
        return number
    }

    /// All that has not been read.
    mutating func remainder() -> [String] {
        defer { rest = [] }
        return Array(rest)
    }
}
