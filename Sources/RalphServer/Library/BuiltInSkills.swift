/// The skills that every Ralph brings with it (contract 7.4), in words of our own.
enum BuiltInSkills {
    private struct Skill {
        let name: String
        let description: String
        let tags: [String]
        let text: String
    }

    /// As lists show them.
    static let all: [SkillItem] = skills.map { skill in
        SkillItem(
            object: LibraryObjects.Skill(
                name: skill.name, description: skill.description, tags: skill.tags, hats: [], backends: [],
                auto_inject: false, source: "built-in", origin: .builtIn, path: nil, shadows: [],
                enabled: true, error: nil),
            file: nil)
    }

    /// What an agent reads; empty for a name that is none of ours.
    static func text(of name: String) -> String { skills.first { $0.name == name }?.text ?? "" }

    private static let skills = [tools, robot, tasks, memories]

    private static let tools = Skill(
        name: "ralph-tools",
        description: "The commands that an agent has for events, tasks, memories and skills",
        tags: ["ralph"],
        text: """
            # Ralph's tools

            - `ralph emit <topic> "<payload>"` publishes an event. It decides which hat works next; emit what your
              hat may publish, once, when the work is done. `--json` takes a JSON value as payload.
            - `ralph tools task …` keeps the list of work that is left: see the skill ralph-tools-tasks.
            - `ralph tools memory …` keeps what later runs should know: see the skill ralph-tools-memories.
            - `ralph tools skill list` names the skills there are, `ralph tools skill load <name>` prints one.

            Each command explains itself with `--help`. If an emit fails because of pending guidance, read what it
            prints, act on it, and emit again.
            """)

    private static let robot = Skill(
        name: "robot-interaction", description: "How to ask a person a question during a run",
        tags: ["ralph", "human"],
        text: """
            # Asking a person

            Emit `human.interact` with one clear question when only a person can decide: a choice that cannot be
            taken back, a secret, a contradiction in the goal. Say what you would do without an answer.

            - Ask one question for each iteration; only the first of them is waited for.
            - The answer comes as the event `human.response`. Without one in time the run goes on: take the safest
              way and write down what you assumed.
            - What people say on their own stands in the prompt as guidance. It outranks earlier plans.
            """)

    private static let tasks = Skill(
        name: "ralph-tools-tasks", description: "Keeping the list of work that is left with ralph tools task",
        tags: ["ralph", "tasks"],
        text: """
            # Tasks

            - `ralph tools task add "<title>"` adds one, `ralph tools task ensure` only if it is not there yet.
            - `ralph tools task ready` lists what can be begun: open, and nothing left that it waits for.
              `ralph tools task list` lists all.
            - `ralph tools task start <id>` when you begin, `close <id>` when it is done and checked, `fail <id>`
              when it cannot be done, `reopen <id>` when it comes back.

            Priorities go from 1, the highest, to 5. Keep tasks small enough for one iteration, and leave none open
            that is done. Change them with these commands only: the file is rewritten as a whole.
            """)

    private static let memories = Skill(
        name: "ralph-tools-memories",
        description: "Keeping what later runs should know with ralph tools memory",
        tags: ["ralph", "memories"],
        text: """
            # Memories

            A memory is what a later run would otherwise have to find out again. There are four types: `pattern`
            (how things are done here), `decision` (what was chosen and why), `fix` (what was wrong and what helped)
            and `context` (facts about the project).

            - Look first: `ralph tools memory --help` names the commands that list, find and add them.
            - Write one fact in one or two sentences, with tags that somebody would search for.
            - Do not keep what the code says already, progress reports, or secrets.
            """)
}
