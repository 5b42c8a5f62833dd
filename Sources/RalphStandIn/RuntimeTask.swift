/// One task, with the members that ralph knows and no others (contract 6.1).
struct RuntimeTask {
    /// In the order in which they are shown.
    static let states = ["in_progress", "open", "closed", "failed"]

    var id: String
    var title: String
    var description: String?
    var key: String?
    var status = "open"
    var priority: Int
    var blockers: [String] = []
    var loop: String?
    var created: String
    var started: String?
    var closed: String?

    /// A new one. Two of them made in one microsecond of a second, or 65.536 ms later, have the same id.
    init(title: String, priority: Int) {
        let now = Moment()
        id = now.identifier("task")
        self.title = title
        self.priority = priority
        created = now.offsetText
    }

    /// Reads a line; `nil` if ralph would call it malformed.
    init?(_ line: some StringProtocol) {
        guard let value = JSONParser.parse(String(line)), let id = value["id"]?.text,
            let title = value["title"]?.text, let status = value["status"]?.text,
            Self.states.contains(status),
            let priority = value["priority"]?.integer, (0...255).contains(priority),
            let created = value["created"]?.text
        else { return nil }
        self.id = id
        self.title = title
        self.status = status
        self.priority = priority
        self.created = created
        let blockers = value["blocked_by"]?.elements ?? []
        self.blockers = blockers.compactMap(\.text)
        guard self.blockers.count == blockers.count else { return nil }
        description = value["description"]?.text
        key = value["key"]?.text
        loop = value["loop_id"]?.text
        started = value["started"]?.text
        closed = value["closed"]?.text
    }

    var json: JSONValue {
        var members = [JSONMember("id", .string(id)), JSONMember("title", .string(title))]
        if let description { members.append(JSONMember("description", .string(description))) }
        if let key { members.append(JSONMember("key", .string(key))) }
        members.append(JSONMember("status", .string(status)))
        members.append(JSONMember("priority", .integer(priority)))
        members.append(JSONMember("blocked_by", .array(blockers.map { .string($0) })))
        if let loop { members.append(JSONMember("loop_id", .string(loop))) }
        members.append(JSONMember("created", .string(created)))
        if let started { members.append(JSONMember("started", .string(started))) }
        if let closed { members.append(JSONMember("closed", .string(closed))) }
        return .object(members)
    }

    /// Whether it can be begun: it is open, and each that it waits for is there and closed.
    func isReady(among tasks: [RuntimeTask]) -> Bool {
        status == "open"
            && blockers.allSatisfy { id in tasks.first { $0.id == id }?.status == "closed" }
    }

    mutating func start() {
        status = "in_progress"
        started = started ?? Moment().offsetText
        closed = nil
    }

    mutating func reopen() {
        status = "open"
        closed = nil
    }

    /// - Parameter status: `closed` or `failed`.
    mutating func end(_ status: String) {
        self.status = status
        closed = Moment().offsetText
    }
}
