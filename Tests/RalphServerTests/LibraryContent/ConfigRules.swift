import Yams

/// What shapes alone do not say about a configuration.
enum ConfigRules {
    /// What is wrong with `root`, a tree of the right shape.
    static func check(_ root: Node) -> [String] { robot(root) + backend(root) + prompt(root) }

    /// A time-out is required, and telegram needs a token (contract 6.5), which no shipped file can have.
    private static func robot(_ root: Node) -> [String] {
        guard let robot = root["RObot"], robot["enabled"]?.bool == true else { return [] }
        var findings: [String] = []
        if robot["timeout_seconds"] == nil { findings.append("RObot: is enabled without timeout_seconds") }
        if robot["mode"]?.string != "web" { findings.append("RObot: only mode web works without a token") }
        return findings
    }

    /// A custom backend is nothing without its command (contract 7.1).
    private static func backend(_ root: Node) -> [String] {
        let isCustom = root["cli"]?["backend"]?.string == "custom"
        return isCustom && root["cli"]?["command"] == nil ? ["cli: backend custom needs command"] : []
    }

    /// Ralph refuses a prompt and a file of it side by side.
    private static func prompt(_ root: Node) -> [String] {
        let loop = root["event_loop"]
        let hasBoth = loop?["prompt"] != nil && loop?["prompt_file"] != nil
        return hasBoth ? ["event_loop: has prompt and prompt_file"] : []
    }
}
