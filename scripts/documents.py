"""What documents say and a machine can see, for `scripts/check`: each check gives a finding per line."""
import os
import re
import subprocess

BINARY = ".build/debug/ralph-mobile-server"


def tracked(*patterns):
    listed = subprocess.run(
        ("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns),
        stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return sorted({path for path in listed if os.path.isfile(path)})


def lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def sources():
    return tracked("Sources/*.swift", "Sources/**/*.swift")


def tests():
    return tracked("Tests/*.swift", "Tests/**/*.swift")


def anchor(heading):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check_links():
    for path in tracked("*.md", "docs/**/*.md", "sessions/README.md", "library/*.md"):
        text, fenced = "", False
        for line in lines(path):
            fenced ^= line.lstrip().startswith("```")
            text += "\n" if fenced else line + "\n"
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, fragment = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file):
                yield "%s: %s does not exist" % (path, target)
            elif fragment and fragment not in {anchor(l.lstrip("#")) for l in lines(file) if l.startswith("#")}:
                yield "%s: %s has no such heading" % (path, target)
        for name in re.findall(r"`((?:Sources|Tests|scripts|docs|library|sessions|Benchmarks)/[\w./+-]+)`", text):
            if not os.path.exists(name) and not name.startswith("docs/decisions/NNNN"):
                yield "%s: `%s` does not exist" % (path, name)


def printed(*arguments):
    return subprocess.run((BINARY, *arguments), stdout=subprocess.PIPE, text=True, timeout=20, check=True).stdout


def without_parameter_names(path):
    return re.sub(r":\w+|\{[^}]+\}|\*\*?", "{}", path)


def differences(path, documented, found):
    """Findings where a document names other things than there are."""
    for name in sorted(found - documented):
        yield "%s lacks %s" % (path, name)
    for name in sorted(documented - found):
        yield "%s has %s, which there is not" % (path, name)


def check_routes():
    served = {method + " " + without_parameter_names(path) for method, path in
              (line.split(None, 1) for line in printed("--routes").splitlines() if line.strip())}
    documented = {method + " " + without_parameter_names(path) for line in lines("docs/http-api.md")
                  for method, path in re.findall(r"^\| `([A-Z]+) (/[^`?]*)` \|", line)}
    return differences("docs/http-api.md", documented, served)


def check_flags():
    offered = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", printed("--help")))
    documented = {flag for line in lines("docs/configuration.md") if line.startswith("| `-")
                  for flag in re.findall(r"--[a-z][a-z-]*", line.split("|")[1])}
    return differences("docs/configuration.md", documented, offered)


def check_defaults():
    """Where both the help and its table name one."""
    told, flag = {}, ""
    for line in printed("--help").splitlines():
        found = re.match(r"  (?:-\w, )?(--[a-z-]+)", line)
        flag = found[1] if found else flag
        told[flag] = told.get(flag, "") + " " + line.strip()
    for line in lines("docs/configuration.md"):
        found = re.match(r"\| `(--[a-z-]+)[^|]*\|[^|]*\| ([\w.]+) \|", line)
        said = re.search(r"Default: ([\w.]+)\.(?: |$)", told.get(found[1], "")) if found else None
        if said and said[1] != found[2]:
            yield "docs/configuration.md: %s is %s, not %s" % (found[1], said[1], found[2])


def check_figures():
    """Those of `/metrics` that a document names."""
    text = "\n".join(line for path in sources() if "/Metrics/" in path for line in lines(path))
    for path in tracked("*.md", "docs/*.md"):
        for name in sorted(set(re.findall(r"\bralph_mobile_(\w+)", "\n".join(lines(path))))):
            if '"%s"' % name not in text:
                yield "%s: there is no figure ralph_mobile_%s" % (path, name)


def check_topics():
    """Those of the events that are derived from lines; signals have a table of their own."""
    text = "\n".join(line for path in sources() if "/SessionNarrator" in path for line in lines(path))
    found = re.findall(r'(?:emit\(|\bname = )\s*"([\w.]+)"(?:,\s*topic: ([^,]+))?', text)
    told = {topic for name, topics in found for topic in re.findall(r'"([\w.]+)"', topics) or [name]}
    table = "\n".join(lines("docs/http-api.md")).split("### Events of the server's own\n")[1].split("\n#")[0]
    documented = {topic for cell in re.findall(r"^\| (`[^|]+)", table, re.M)
                  for topic in re.findall(r"`([^`]+)`", cell.split(", type")[0])}
    return differences("docs/http-api.md", documented, {topic for topic in told if not topic.startswith("sentinel.")})


def check_threat_model():
    """The last column of its tables names attacks, in one word, and tests, as sentences."""
    path = "docs/threat-model.md"
    attacks = set(subprocess.run(
        ("scripts/attack", "--list"), stdout=subprocess.PIPE, text=True, timeout=20, check=True).stdout.split())
    written = {name for path in tests() for name in re.findall(r"func `([^`]+)`", "\n".join(lines(path)))}
    in_attacks, section = set(), ""
    for line in lines(path):
        section = line if line.startswith("## ") else section
        if section == "## Attacks" and line.startswith("| "):
            in_attacks |= set(re.findall(r"`([^`]+)`", line.rsplit("|", 2)[1]))
    for name in sorted(in_attacks - attacks - written):
        yield "%s: neither an attack nor a test: %s" % (path, name)
    for name in sorted(attacks - in_attacks):
        yield "%s lacks the attack %s" % (path, name)
