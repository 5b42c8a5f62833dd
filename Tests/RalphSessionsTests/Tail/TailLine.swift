import Foundation
import RalphWire

/// Lines whose topic says which they are.
enum TailLine {
    static func text(_ number: Int) -> String {
        #"{"topic":"n.\#(number)","ts":"2026-02-05T10:30:45Z"}"#
    }

    static func lines(_ numbers: some Sequence<Int>) -> String {
        numbers.map { text($0) + "\n" }.joined()
    }

    /// A line that is dated `time`, milliseconds since 1970.
    static func text(_ number: Int, at time: Int64) -> String {
        #"{"topic":"n.\#(number)","ts":"\#(Timestamp.text(time))"}"#
    }

    /// A line that is written now.
    static func textOfNow(_ number: Int) -> String {
        #"{"topic":"n.\#(number)","ts":"\#(Date.now.ISO8601Format())"}"#
    }

    static func topics(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "n.\($0)" } }
}
