import Testing

/// The real binary as a process, over real sockets.
///
/// Serialized: every test starts processes of its own, many of them heavy, and measures their time and memory.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct EndToEnd {}
