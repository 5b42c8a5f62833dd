/// How a question reaches a human (contract 6.5).
struct Robot {
    /// The channel.
    enum Mode { case telegram, web }

    /// The channel.
    let mode: Mode
    /// 0 waits for ever.
    let timeoutSeconds: Int
    /// The interval of the heart-beat, if there is one.
    let checkinSeconds: Int?
}
