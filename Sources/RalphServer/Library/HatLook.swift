/// How a hat of a known key is shown (http-contract 5).
enum HatLook {
    private static let emojis = [
        "builder": "🏗️", "reviewer": "👀", "investigator": "🔍", "tester": "🧪", "fixer": "🔧", "verifier": "✅",
        "planner": "📋", "architect": "🏛️", "deployer": "🚀", "analyst": "📊", "researcher": "📚", "writer": "✍️",
        "designer": "🎨", "security": "🔒", "coordinator": "🎯",
    ]
    private static let colors = [
        "planner": "#00d9ff", "fixer": "#ff006e", "builder": "#c71585", "reviewer": "#39ff14",
        "architect": "#ffd700",
    ]

    static func emoji(_ id: String) -> String { emojis[id.lowercased()] ?? "🎩" }

    /// `nil`: it has none of its own.
    static func color(_ id: String) -> String? { colors[id.lowercased()] }
}
