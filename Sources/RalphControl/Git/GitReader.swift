import Foundation
import RalphSessions

/// Asks git about repositories that may be hostile: no shell, no program but git's own, nothing written,
/// one deadline for all questions of an answer.
package struct GitReader: Sendable {
    /// Output of `status` and of a list of changes, bytes; what is beyond it is cut.
    package static let maximumListBytes = 4 << 20
    private static let maximumWordBytes = 64 << 10

    private let program: String
    private let settings: ControlSettings
    /// Canonical paths of what no answer shows, nor a worktree's copies of it (``GitPlace/checkouts``).
    private let hidden: [String]
    private let deadline: ContinuousClock.Instant
    /// Of memory that one git writes to. What it maps of packs does not count: a worktree of 300 000 files takes half of
    /// this, and a few small trees that name each other again and again would take any amount.
    var maximumDataBytes = 512 << 20

    /// - Parameter hidden: canonical paths of files and directories that no answer shows.
    /// - Throws: ``GitError/missing``.
    package init(
        _ settings: ControlSettings, hiding hidden: [String], until deadline: ContinuousClock.Instant
    ) throws(GitError) {
        guard let program = settings.program("git") else { throw .missing }
        self.program = program
        self.settings = settings
        self.hidden = hidden
        self.deadline = deadline
    }

    // MARK: A question to the server's own user

    /// The file of patterns by which git ignores files of this user in every repository (gitignore(5)); `nil`: there
    /// is no home to look in.
    package func ignoreFile() async throws(GitError) -> String? {
        guard let home = settings.environment["HOME"], home.hasPrefix("/") else { return nil }
        let places = settings.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let named = try await ask(
            ["config", "--global", "--includes", "--type=path", "--get", "core.excludesFile"], "/",
            ["HOME": home, "XDG_CONFIG_HOME": places ?? home + "/.config", "GIT_CONFIG_GLOBAL": ""])
        return Self.word(named) ?? (places ?? home + "/.config") + "/git/ignore"
    }

    // MARK: Questions to the repository itself, which make git read its configuration and nothing more

    /// What is asked of a repository's configuration.
    private static let keys =
        "^(core\\.(autocrlf|eol|filemode|ignorecase|symlinks)|extensions\\.objectformat)$"

    /// What is checked out in `place`.
    package func head(of place: GitPlace) async throws(GitError) -> GitHead {
        // Git would wait for the other end of a FIFO until its time is over, and others for git.
        if let file = EntryStatus(behindLinks: place.common + "/config"), file.kind != .file {
            throw .failed("the repository's configuration is no regular file")
        }
        var head = GitHead()
        head.commit = try await commit(checkedOutIn: place.directory, place)
        head.isSHA256 = head.commit?.utf8.count == 64
        let branch = try await ask(
            ["symbolic-ref", "--quiet", "HEAD"], place.workspace, ["GIT_DIR": place.directory])
        head.branch = Self.word(branch).flatMap {
            $0.hasPrefix("refs/heads/") ? String($0.dropFirst("refs/heads/".count)) : nil
        }
        let settings = try await ask(
            ["config", "--null", "--get-regexp", Self.keys],
            place.workspace, ["GIT_DIR": place.directory])
        for entry in settings.output.split(separator: 0) {
            let parts = String(decoding: entry, as: UTF8.self).split(separator: "\n")
            if parts == ["extensions.objectformat", "sha256"] { head.isSHA256 = true }
            guard parts.count == 2, parts[0].hasPrefix("core."), parts[1].utf8.count < 8,
                parts[1].utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
            else { continue }
            head.settings[String(parts[0].dropFirst(5))] = String(parts[1])
        }
        return head
    }

    /// Whether git ignores what is at `path`, an absolute path, if it does not follow that already: by what the repository says,
    /// or this user for every repository (gitignore(5)).
    package func ignores(_ path: String, in place: GitPlace) async throws(GitError) -> Bool {
        var lists: [[String]] = [[]]
        if let own = try await ignoreFile() { lists.append(["-c", "core.excludesFile=" + own]) }
        for list in lists {
            let outcome = try await ask(
                list + ["check-ignore", "--quiet", "--no-index", "--", path], place.workspace,
                // It takes no literal pathspecs.
                ["GIT_DIR": place.directory, "GIT_WORK_TREE": place.top, "GIT_LITERAL_PATHSPECS": ""])
            if outcome.code == 0 { return true }
            guard outcome.code == 1 else { throw .refused(outcome, of: maximumDataBytes) }
        }
        return false
    }

    /// The commit that the main worktree of `place` has checked out; `nil`: none.
    package func mainCommit(of place: GitPlace) async throws(GitError) -> String? {
        try await commit(checkedOutIn: place.common, place)
    }

    private func commit(checkedOutIn directory: String, _ place: GitPlace) async throws(GitError) -> String? {
        let outcome = try await ask(
            ["rev-parse", "--verify", "--quiet", "HEAD"], place.workspace, ["GIT_DIR": directory])
        // 1 says that there is no commit yet, anything else that this is no repository that git can read.
        if let code = outcome.code, code > 1 { throw .refused(outcome, of: maximumDataBytes) }
        return Self.name(outcome)
    }

    // MARK: Questions to the shelter

    /// Paths with a part that is empty, `.`, `..` or `.git`, as wildcards: of the words as they are git would make
    /// another path. A file that is called like the wildcard is found, too, so these are names that nobody uses.
    private static let strangePaths: [String] =
        ["[/]*", "*/[/]*"]
        + ["[.-.]", "[.-.][.-.]", "[.-.]git"].flatMap { [$0, "\($0)/*", "*/\($0)", "*/\($0)/*"] }

    /// Makes sure that the index names nothing outside of the worktree.
    ///
    /// Git refuses such a name where it makes an entry, and believes the index that it finds: it would read whatever
    /// file the name leads to, and what is hidden under another spelling of its path.
    ///
    /// - Throws: ``GitError/failed(_:)`` if it does.
    package func checkIndex(of shelter: GitShelter) async throws(GitError) {
        let outcome = try await ask(
            ["ls-files", "-z", "--"] + Self.strangePaths.map { ":(top,icase)" + $0 }, shelter.place.top,
            shelter.variables.merging(["GIT_LITERAL_PATHSPECS": "0"]) { $1 })
        guard outcome.code == 0 || outcome.isCut else { throw .refused(outcome, of: maximumDataBytes) }
        guard outcome.output.isEmpty else {
            throw .failed("the index names files outside of the worktree")
        }
    }

    /// The newest commit of the head's first-parent line that is not later than `time`, seconds since 1970.
    package func commit(notAfter time: Int64, in shelter: GitShelter) async throws(GitError) -> String? {
        guard let head = shelter.head.commit else { return nil }
        return Self.name(
            try await ask(
                ["rev-list", "--max-count=1", "--first-parent", "--min-age=\(time)", head, "--"],
                shelter.place.workspace, shelter.variables))
    }

    /// Where the head and `other` parted; `nil`: nowhere.
    package func mergeBase(with other: String, in shelter: GitShelter) async throws(GitError) -> String? {
        guard let head = shelter.head.commit else { return nil }
        return Self.name(
            try await ask(["merge-base", other, head], shelter.place.workspace, shelter.variables))
    }

    /// `git status --porcelain=v2 -z` of `path`, `.` for all below the workspace.
    package func status(_ path: String, in shelter: GitShelter) async throws(GitError) -> CapturedRun.Outcome
    {
        try await demand(
            [
                "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty",
            ], path, shelter, Self.maximumListBytes)
    }

    /// Lets untracked files take part in diffs, in the shelter's index alone.
    ///
    /// - Returns: whether those do that can be read; where one of them is gone, none does.
    package func add(listedIn file: String, in shelter: GitShelter) async throws(GitError) -> Bool {
        let outcome = try await ask(
            [
                "add", "--intent-to-add", "--ignore-errors", "--pathspec-from-file=\(file)",
                "--pathspec-file-nul",
            ], shelter.place.top, shelter.variables)
        return outcome.code == 0 || outcome.code == 1
    }

    /// The changes of `path` since `base`: `git diff --raw --numstat -z`, paths relative to the workspace.
    package func changes(
        since base: String, _ path: String, in shelter: GitShelter
    ) async throws(GitError) -> CapturedRun.Outcome {
        try await demand(
            ["diff", "--raw", "--numstat", "-z"] + Self.diffOptions + [base], path, shelter,
            Self.maximumListBytes)
    }

    /// The same as a unified diff of at most `maximumBytes`.
    package func patch(
        since base: String, _ path: String, maximumBytes: Int, in shelter: GitShelter
    ) async throws(GitError) -> CapturedRun.Outcome {
        try await demand(
            ["diff", "--patch", "--no-color"] + Self.diffOptions + [base], path, shelter, maximumBytes)
    }

    private static let diffOptions = [
        "--find-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--relative",
    ]

    // MARK: Running

    /// An answer about `path` that must be there, without what is hidden and the copies of that.
    private func demand(
        _ arguments: [String], _ path: String, _ shelter: GitShelter, _ maximumBytes: Int
    ) async throws(GitError) -> CapturedRun.Outcome {
        let paths = shelter.place.checkouts.flatMap { checkout in
            hidden.compactMap { $0.path(below: checkout) }
        }
        let outcome = try await ask(
            arguments + ["--", ":(literal)" + path] + paths.flatMap(Self.exclusions), shelter.place.workspace,
            shelter.variables.merging(["GIT_LITERAL_PATHSPECS": "0"]) { $1 }, maximumBytes: maximumBytes)
        guard outcome.code == 0 || outcome.isCut else {
            throw .refused(outcome, of: maximumDataBytes)
        }
        return outcome
    }

    /// What keeps `path`, relative to the top, out of an answer.
    ///
    /// As a wildcard, too: git compares a plain path with all that an index says of a name, and a forged name goes on
    /// behind the NUL that ends the file's.
    private static func exclusions(of path: String) -> [String] {
        var wildcard = ""
        for scalar in path.unicodeScalars {
            if wildcard.isEmpty || "*?[\\".unicodeScalars.contains(scalar) {
                wildcard.unicodeScalars.append("\\")
            }
            wildcard.unicodeScalars.append(scalar)
        }
        return [":(top,exclude,literal)" + path, ":(top,exclude)" + wildcard]
    }

    /// - Parameter variables: an empty value takes one of ``environment`` away.
    private func ask(
        _ arguments: [String], _ directory: String, _ variables: [String: String],
        maximumBytes: Int = maximumWordBytes
    ) async throws(GitError) -> CapturedRun.Outcome {
        var run = CapturedRun(
            program: program, arguments: ["--no-pager", "-c", "core.fsmonitor=false"] + arguments,
            directory: directory,
            environment: environment.merging(variables) { $1 }.filter { !$0.value.isEmpty },
            maximumOutputBytes: maximumBytes)
        run.maximumDataBytes = maximumDataBytes
        let outcome: CapturedRun.Outcome?
        do {
            outcome = try await run.run(until: deadline)
        } catch .ralphMissing {
            throw .missing
        } catch {
            guard Self.canEnter(directory) else { throw .failed("the workspace cannot be entered") }
            throw .unavailable("git cannot be started.")
        }
        guard let outcome else { throw .timeout }
        return outcome
    }

    /// Whether a program can begin in `directory`, as far as that is up to the directory.
    private static func canEnter(_ directory: String) -> Bool {
        let descriptor = DirectPath.openDirectory(directory)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        return SystemCode(errno).isPassing
    }

    /// All that git gets: nothing of the server's own `GIT_*`, no configuration but the repository's (``ignoreFile()``
    /// alone asks for the user's), and no way to fetch what is missing.
    private var environment: [String: String] {
        [
            "PATH": settings.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/dev/null",
            "XDG_CONFIG_HOME": "/dev/null", "LC_ALL": "C", "TERM": "dumb",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_EDITOR": "false",
            "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GIT_SSH_COMMAND": "false",
            "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
        ]
    }

    private static func word(_ outcome: CapturedRun.Outcome) -> String? {
        guard outcome.code == 0 else { return nil }
        let text = String(decoding: outcome.output, as: UTF8.self)
        return text.split(separator: "\n").first.map(String.init)
    }

    private static func name(_ outcome: CapturedRun.Outcome) -> String? {
        word(outcome).flatMap { GitHead.isName($0) ? $0 : nil }
    }
}
