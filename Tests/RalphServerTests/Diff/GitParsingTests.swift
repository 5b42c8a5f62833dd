import Testing

@testable import RalphServer

struct GitParsingTests {
    private func bytes(_ text: String) -> [UInt8] {
        Array(text.replacing("|", with: "\0").utf8)
    }

    @Test(arguments: [
        ("1 .M N... 100644 100644 100644 aa bb src/a b.txt|", "src/a b.txt", ".M", false),
        ("1 A. N... 000000 100644 100644 aa bb new|", "new", "A.", true),
        (
            "2 R. N... 100644 100644 100644 aa bb R100 new name|old\tname|", "new name", "R.",
            true
        ),
        ("u UU N... 100644 100644 100644 100644 aa bb cc both|", "both", "UU", false),
        ("? line\nbreak \"quoted\"|", "line\nbreak \"quoted\"", "??", false),
    ])
    func `an entry of status is read`(
        _ text: String, _ path: String, _ letters: String, _ isStaged: Bool
    ) throws {
        let entry = try #require(GitStatusEntry.read(bytes(text)).first)
        #expect(entry.path == Array(path.utf8))
        #expect([entry.index, entry.worktree] == Array(letters.utf8))
        #expect(entry.isStaged == isStaged)
    }

    @Test(arguments: [
        "", "|", "# branch.oid abc|", "! ignored|", "1 .M N... 1 2 3 aa|", "1 M N... 1 2 3 a b path|", "?|",
        "? |",
        "2 R. N... 1 2 3 a b R100 new|", "? cut", "9 what|", "1|",
    ])
    func `what is no whole entry of status is left out`(_ text: String) {
        #expect(GitStatusEntry.read(bytes(text)).isEmpty)
    }

    @Test func `entries behind a broken one are read`() {
        let entries = GitStatusEntry.read(bytes("1 broken|? good|u x|? also|? cut"))
        #expect(entries.map(\.path) == [Array("good".utf8), Array("also".utf8)])
    }

    @Test func `changes get their figures`() {
        let changes = GitChange.read(
            bytes(
                ":100644 100644 a b M|a|:100644 100644 a b R090|old|new|:000000 100644 0 b A|pic|"
                    + ":100644 000000 a 0 D|gone\n|3\t1\ta|5\t0\t|old|new|-\t-\tpic|0\t7\tgone\n|"))
        #expect(
            changes == [
                GitChange(path: Array("a".utf8), letter: 77, additions: 3, deletions: 1),
                GitChange(
                    path: Array("new".utf8), oldPath: Array("old".utf8), letter: 82, additions: 5,
                    deletions: 0),
                GitChange(path: Array("pic".utf8), letter: 65),
                GitChange(path: Array("gone\n".utf8), letter: 68, additions: 0, deletions: 7),
            ])
    }

    @Test(arguments: [
        "", ":", ":1 1 a b M", ":1 1 a b M|", ":1 1 a b R1|old|", "1\t2\tunknown|", "x|", "1\t2|",
    ])
    func `what is no whole change is left out`(_ text: String) {
        #expect(GitChange.read(bytes(text)).isEmpty)
    }

    @Test func `an unmerged file is one change`() {
        let changes = GitChange.read(bytes(":000000 100644 0 0 U|a|:100644 100644 a b M|a|1\t1\ta|"))
        #expect(changes == [GitChange(path: [97], letter: 85, additions: 1, deletions: 1)])
    }

    @Test(arguments: [
        ("diff --git a\n+x\ndiff --git b\n+y", "diff --git a\n+x\n"),
        ("diff --git a\n+x\n+cu", "diff --git a\n+x\n"),
        ("no line", ""), ("", ""),
    ])
    func `a cut patch ends with a file or a line`(_ patch: String, _ expected: String) {
        #expect(String(decoding: PatchText.cut(Array(patch.utf8)), as: UTF8.self) == expected)
    }

    @Test func `files are told from the index, the worktree and the base`() {
        let entries = GitStatusEntry.read(
            bytes(
                "1 M. N... 1 2 3 a b sub/staged|? sub/new|1 .M N... 1 2 3 a b other/x|"
                    + "? sub/far|u UU N... 1 2 3 4 a b c sub/both|"
            ))
        let changes = [
            GitChange(path: Array("staged".utf8), letter: 77, additions: 1, deletions: 2),
            GitChange(path: Array("new".utf8), letter: 65, additions: 4, deletions: 0),
            GitChange(path: Array("committed".utf8), letter: 65, additions: 9, deletions: 0),
        ]
        let files = ChangedFile.merge(changes, entries, prefix: "sub/")
        #expect(files.map(\.path) == ["both", "committed", "far", "new", "staged"])
        #expect(files.map(\.status) == [.unmerged, .added, .untracked, .untracked, .modified])
        #expect(files.map(\.staged) == [false, false, false, false, true])
        #expect(files.map(\.additions) == [nil, 9, nil, 4, 1])
    }

    @Test(arguments: [
        "1 .D N... 1 2 3 a b gone|", "1 D. N... 1 2 3 a b gone|", "1 MM N... 1 2 3 a b as-before|",
        "1 AD N... 1 2 3 a b gone|", "2 RD N... 1 2 3 a b R100 to|from|", "1 .T N... 1 2 3 a b link|",
    ])
    func `what differs from the head alone is no change since the base`(_ text: String) {
        let entries = GitStatusEntry.read(bytes(text))
        #expect(entries.count == 1)
        #expect(ChangedFile.merge([], entries, prefix: "").isEmpty)
    }

    @Test func `a file that was moved and not added is a rename, so that the old one is not forgotten`() {
        let entries = GitStatusEntry.read(bytes("1 .D N... 1 2 3 a b parser.py|? reader.py"))
        let change = GitChange(
            path: Array("reader.py".utf8), oldPath: Array("parser.py".utf8), letter: 82, additions: 0,
            deletions: 0)
        let files = ChangedFile.merge([change], entries, prefix: "")
        #expect(files.map(\.path) == ["reader.py"] && files.map(\.status) == [.renamed])
        #expect(files.first?.old_path == "parser.py" && files.first?.staged == false)
    }
}
