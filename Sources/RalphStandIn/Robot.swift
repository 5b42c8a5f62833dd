/// How a question reaches a human (contract 6.5).
struct Robot {
    enum Mode { case telegram, web }

    let mode: Mode
    /// 0 waits for ever.
    let timeoutSeconds: Int
    let checkinSeconds: Int?
}
