/// The library, the workspace's files and the host (http-contract 5, 6, 7, 10).
extension ClientModels {
    struct Configs: Decodable, Sendable {
        let configs: [Config]
    }

    struct Presets: Decodable, Sendable {
        let presets: [Config]
    }

    struct Config: Decodable, Sendable {
        let path: String
        let name: String
        let description: String
    }

    struct Prompts: Decodable, Sendable {
        struct Prompt: Decodable, Sendable {
            let path: String
            let name: String
            let preview: String
        }

        let prompts: [Prompt]
    }

    /// The text of a config or a prompt.
    struct Content: Decodable, Sendable {
        let path: String
        let content: String
        let content_type: String
    }

    struct Hats: Decodable, Sendable {
        struct Hat: Decodable, Sendable {
            let name: String
            let description: String
            let emoji: String
        }

        let hats: [Hat]
    }

    struct Skills: Decodable, Sendable {
        let skills: [Skill]
        let count: Count
    }

    struct Skill: Decodable, Sendable {
        let name: String
        let description: String
        let tags: [String]
        let hats: [String]
        let backends: [String]
        let auto_inject: Bool
        let source: String
    }

    struct LoadedSkill: Decodable, Sendable {
        let name: String
        let content: String
    }

    struct HostMetrics: Decodable, Sendable {
        struct Processor: Decodable, Sendable {
            let usage_percent: Double
            let cores: Int
        }

        struct Space: Decodable, Sendable {
            let usage_percent: Double
            let used_gb: Double
            let total_gb: Double
        }

        struct Network: Decodable, Sendable {
            let download_mbps: Double
            let upload_mbps: Double
        }

        let cpu: Processor
        let memory: Space
        let disk: Space
        let network: Network
        let cpu_percent: Double
        let memory_percent: Double
        let disk_percent: Double
        let load_avg: [Double]
        let timestamp: Time
    }

    struct HostProcesses: Decodable, Sendable {
        struct Process: Decodable, Sendable {
            let name: String
            let cpu_percent: Double
            let memory_mb: Double
            let pid: Count
        }

        let processes: [Process]
    }

    struct Memories: Decodable, Sendable {
        let content: String
        let last_modified: Time?
    }

    struct MemoriesExport: Decodable, Sendable {
        let content: String
        let exported_at: Time
        let filename: String
    }

    struct Tasks: Decodable, Sendable {
        let tasks: [Task]
        let total: Count
    }

    struct Task: Decodable, Sendable {
        enum State: String, Decodable, Sendable {
            case open, closed, failed
            case inProgress = "in_progress"
        }

        let id: String
        let title: String
        let description: String?
        let status: State
        let priority: UInt8
        let blocked_by: [String]
        let loop_id: String?
        let created_at: Time
        let updated_at: Time?
    }

    struct ConfigExport: Decodable, Sendable {
        let content: String
        let filename: String
    }

    struct ConfigImport: Decodable, Sendable {
        let status: String
        let path: String
    }
}
