import Foundation

#if canImport(Glibc)
import Glibc
#endif

extension StandInWorkspace {
    /// The question that a web robot asks; `nil` if there is none.
    public var question: [String: Any]? {
        text(".ralph/api/robot-question.json").flatMap {
            // A file that is being written is no question yet.
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Answers it through the response file, as contract 6.6 wants it.
    public func answerQuestion(_ text: String) throws {
        guard let question else { throw ProcessStartError(description: "there is no question") }
        try answerQuestion(text, token: question["response_token"] as? String ?? "", loop: "main")
    }

    /// Writes a response file with this token and loop.
    public func answerQuestion(_ text: String, token: String, loop: String?, id: Int? = nil) throws {
        var members: [String: Any] = [
            "id": id ?? question?["id"] ?? 1, "response_token": token, "response": text,
        ]
        members["loop_id"] = loop
        let data = try JSONSerialization.data(withJSONObject: members)
        try directory.write(".ralph/api/answer.tmp", bytes: Array(data))
        rename(path + "/.ralph/api/answer.tmp", path + "/.ralph/api/robot-response.json")
    }
}
