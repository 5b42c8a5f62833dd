/// Answers to commands, questions and loops (http-contract 3.4, 8, 9).
extension ClientModels {
    struct Started: Decodable, Sendable {
        let id: String
        let status: String
        let pid: Int?
        let started_at: Time?
        let working_dir: String?
    }

    /// Pause, resume, stop: the client looks at `status` alone.
    struct Changed: Decodable, Sendable {
        let status: String
        let mode: Mode?
        let pending: Bool?
        let changed: Bool?
        let result: String?
        let effective_at: Time?
        let already: Bool?
        let final_status: Status?
        let exit_code: Int?
        let forced: Bool?
    }

    struct Steered: Decodable, Sendable {
        let status: String
        let delivered_at: Time
        let seq: Int?
        let event_id: String?
    }

    struct Emitted: Decodable, Sendable {
        let success: Bool
        let topic: String
        let timestamp: Time
        let event_id: String?
        let seq: Int?
        let session_id: String?
    }

    struct Questions: Decodable, Sendable {
        struct Question: Decodable, Sendable {
            let id: String
            let question_text: String
            let session_id: String
            let asked_at: Time
            let timeout_at: Time
            let iteration: Count
            let hat: String?
        }

        let questions: [Question]
    }

    struct Answered: Decodable, Sendable {
        let success: Bool
        let question_id: String
        let delivered_at: Time
    }

    struct Guided: Decodable, Sendable {
        let success: Bool
        let session_id: String
        let delivered_at: Time
    }

    struct Loops: Decodable, Sendable {
        let loops: [Loop]
    }

    struct Loop: Decodable, Sendable {
        enum Kind: String, Decodable, Sendable { case primary, worktree }

        let id: String
        let status: Kind
        let prompt: String
        let pid: Count
        let started_at: Time
        let worktree_path: String?
        let workspace: String
        let alive: Bool
        let session_id: String?
    }

    struct LoopStarted: Decodable, Sendable {
        let id: String
        let worktree_path: String
        let status: String
    }

    struct LoopJob: Decodable, Sendable {
        let success: Bool
        let message: String
    }

    struct MergeQueue: Decodable, Sendable {
        struct Item: Decodable, Sendable {
            enum State: String, Decodable, Sendable { case pending, completed, failed }

            let id: String
            let status: State
            let prompt: String
            let worktree_path: String?
            let queued_at: Time
            let merged_at: Time?
        }

        let pending: [Item]
        let completed: [Item]
    }
}
