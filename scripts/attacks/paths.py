"""Attacks with paths, and with files that lie in a workspace: what is used must lie where it may."""
import contextlib
import json
import os
import subprocess
import sys
import threading
import time

import blackbox
from attacks.credentials import bearer
from attacks.scene import KEY, SECRET, Reply, attack, request

EVIL_CONFIG = "cli: {{backend: custom, command: /bin/sh, args: [-c, 'touch {place}/pwned']}}\nevent_loop: {{prompt_file: PROMPT.md}}\n"
OWNER = [("X-Api-Key", KEY)]


def traversals(scene):
    """Spellings of `decoy/secret.txt` and of `/etc/passwd`, from a directory of the library."""
    ups = ["../" * count for count in range(1, 9)]
    for up in ups:
        for target in (up + "decoy/secret.txt", up + "decoy/ralph.yml", up + "etc/passwd"):
            yield target
            yield target.replace("../", "..%2f")
            yield target.replace("../", "%2e%2e/")
            yield target.replace("../", "%2e%2e%2f")
            yield target.replace("../", "%252e%252e%252f")
            yield target.replace("../", "..\\")
            yield target.replace("../", "....//")
            yield target.replace("../", "..;/")
            yield target.replace("../", "%c0%ae%c0%ae/")
    for path in (scene.outside + "/secret.txt", scene.outside + "/ralph.yml", "/etc/passwd", "/proc/self/environ"):
        yield path
        yield path.replace("/", "%2f")
        yield "/" + path
    yield "ralph.yml%00.md"
    yield "%00"
    yield "~/.ssh/id_rsa"
    yield "linked/secret.txt"
    yield "linked.yml"
    yield "linked.md"
    yield "hard%0alinked.yml"
    yield "file:///etc/passwd"


@attack("path-traversal")
def path_traversal(scene):
    os.makedirs(os.path.join(scene.victim, "presets"))
    os.makedirs(os.path.join(scene.victim, "prompts"))
    for directory in ("presets", "prompts", "."):
        base = os.path.join(scene.victim, directory)
        os.symlink(scene.outside, os.path.join(base, "linked"))
        os.symlink(scene.outside + "/ralph.yml", os.path.join(base, "linked.yml"))
        os.symlink(scene.outside + "/PROMPT.md", os.path.join(base, "linked.md"))
    before = scene.settle()
    for text in traversals(scene):
        for target in ("/api/configs/" + text, "/api/prompts/" + text, "/api/skills/" + text, "/api/skills/%s/load" % text,
                       "/api/sessions/%s/diff?patch=true&path=%s" % (scene.id, text),
                       "/api/memories?workspace=" + text, "/api/tasks?workspace=" + text, "/api/loops?workspace=" + text):
            reply = Reply(scene.talk(request("GET", target)))
            secret = SECRET.encode() in reply.body or b"root:x:" in reply.body
            scene.expect(not secret, "GET %s gave what lies outside" % target)
            # A path of no change is an empty patch, and a workspace that is not ours an empty list.
            if "/diff?" in target or "?workspace=%2" in target or ("?workspace=" in target and reply.status == 200):
                scene.expect(reply.status in (200, 400, 404, 503), "GET %s: %s" % (target, reply))
                scene.note("%s, nothing of it" % reply.status)
            else:
                scene.refused(reply, (400, 403, 404), what="GET " + target)
    for path in ("/api/configs", "/api/prompts", "/api/presets", "/api/hats", "/api/skills"):
        scene.expect(SECRET.encode() not in scene.ask("GET", path).body, "%s shows what lies outside" % path)
    return before


@attack("working-dir-outside")
def working_dir_outside(scene):
    os.symlink(scene.outside, os.path.join(scene.root, "link"))
    os.symlink("../decoy", os.path.join(scene.victim, "link"))
    os.symlink("link2", os.path.join(scene.root, "link2"))
    os.makedirs(os.path.join(scene.root, "odd"))
    os.symlink(scene.outside, os.path.join(scene.root, "odd/.ralph"))
    os.mkfifo(os.path.join(scene.root, "pipe"))
    before = scene.settle()
    for directory in ("..", "../decoy", "victim/../../decoy", "/", "/tmp", scene.outside, scene.root + "/../decoy", "~",
                      "~root", "link", "victim/link", "link/..", "link2", "odd", "victim/ralph.yml", "pipe", "/proc/self/cwd",
                      "/proc/self/root", "victim\u0000/../..", "\u0000", "victim/\n", "a" * 5000, "/dev/fd/0", "victim/.ralph/x",
                      scene.root + "x", "file://" + scene.outside, "$HOME", "`pwd`", "victim;id", "//" + scene.outside):
        for path in ("/api/sessions", "/api/runner/start"):
            reply = scene.ask("POST", path, body=json.dumps({"working_dir": directory, "prompt": "x"}))
            scene.refused(reply, (400, 403, 404, 413), what="working_dir %r" % directory[:80])
        if directory not in ("..", "/", "link/.."):
            reply = scene.ask("POST", "/api/loops", body=json.dumps({"workspace": directory, "prompt": "x"}))
            scene.refused(reply, (400, 403, 404, 413), what="workspace %r" % directory[:80])
    for member in ("config_path", "prompt_path", "hats"):
        for path in ("../decoy/ralph.yml", scene.outside + "/ralph.yml", "/etc/passwd", "../link/ralph.yml", "link/ralph.yml",
                     scene.root + "/link/PROMPT.md", "/proc/self/environ", "../../decoy/PROMPT.md", "/dev/zero"):
            body = {"working_dir": "victim", member: path}
            if member != "prompt_path":
                body["prompt"] = "x"
            scene.refused(scene.ask("POST", "/api/sessions", body=json.dumps(body)), (400, 403, 404), what="%s %s" % (member, path))
    for path, method, body in (("/api/memories", "PUT", '{"content":"x"}'), ("/api/tasks", "POST", '{"title":"x"}'),
                               ("/api/config/import", "POST", '{"content":"a: 1"}')):
        for directory in (scene.outside, "../decoy", "link", "/tmp"):
            reply = scene.ask(method, "%s?workspace=%s" % (path, directory), body=body)
            scene.refused(reply, (400, 403, 404), what="%s?workspace=%s" % (path, directory))
    return before


ENOUGH_SWAPS = 100


@contextlib.contextmanager
def swapping(scene, swap):
    """Does `swap` over and over, on a thread of its own, and counts it; a race in which it fails, or hardly happens, is
    none."""
    over, counts, problems = threading.Event(), [0], []

    def work():
        try:
            while not over.is_set():
                swap()
                counts[0] += 1
        except OSError as problem:
            problems.append(problem)

    swapper = threading.Thread(target=work)
    swapper.start()
    try:
        yield counts
    finally:
        over.set()
        swapper.join()
    scene.expect(not problems and counts[0] >= ENOUGH_SWAPS, "only %d swaps: %s" % (counts[0], problems))


# Leaves a mark in the very directory that it was started in, whatever that is called now, and ends.
MARKING = "#!/bin/sh\n[ \"$1\" = --version ] || : > started-here\n"


@attack("working-dir-race", ralph=MARKING, ignore=("root/race", "root/spare"))
def working_dir_race(scene):
    """A workspace that is a directory when it is checked and a link out of the root when it is used."""
    race, spare = os.path.join(scene.root, "race"), os.path.join(scene.root, "spare")
    os.makedirs(race)
    for name in ("ralph.yml", "agent.steps", "PROMPT.md"):
        with open(os.path.join(scene.victim, name)) as source, open(os.path.join(race, name), "w") as target:
            target.write(source.read())
    os.symlink(scene.outside, spare)
    before = scene.settle()

    def swap():
        os.rename(race, race + ".was")
        os.rename(spare, race)
        os.rename(race, spare)
        os.rename(race + ".was", race)

    number, end = 0, time.monotonic() + 20
    with swapping(scene, swap) as counts:
        while number < 60 or time.monotonic() < end and (
                counts[0] < ENOUGH_SWAPS or not os.path.exists(race + "/started-here")):
            number += 1
            if number % 3:
                path, body = "/api/config/import?workspace=race", {"content": "a: %d" % number}
            else:
                path, body = "/api/sessions", {"working_dir": "race", "prompt": "x"}
            reply = scene.ask("POST", path, body=json.dumps(body), host="127.0.0.1")
            if reply.status >= 400:
                scene.note(str(reply))
            elif path == "/api/sessions":
                scene.ask("DELETE", "/api/sessions/%s?force=1" % reply.json()["id"])
    for session in scene.ask("GET", "/api/sessions").json():
        if session["working_dir"] not in (scene.victim, os.path.join(scene.root, "other")):
            scene.ask("DELETE", "/api/sessions/%s?force=1" % session["id"])
    scene.expect(os.path.exists(race + "/started-here"), "no run was ever started where it should be")
    scene.note("nothing outside the root was touched")
    blackbox.wait_until(lambda: scene.snapshot()["processes"] == before["processes"], 10, "the end of the runs inside")
    return before


@attack("config-becomes-command", key=True)
def config_becomes_command(scene):
    """Who may not start programs, or is not on this machine, writes a configuration that names one."""
    evil = EVIL_CONFIG.format(place=scene.place)
    hooks = "event_loop: {prompt_file: PROMPT.md}\nhooks: {enabled: true, events: {pre.loop.start: [{command: [/bin/sh, -c, 'touch %s/pwned']}]}}\n" % scene.place
    imports = "/api/config/import?workspace=" + scene.victim
    for content in (evil, hooks, "cli: {backend: custom, command: ./evil.sh}\n", "cli: {command: '/bin/sh -c id'}\n",
                    "backends: {x: {command: /bin/sh}}\n" + evil, '{"cli": {"backend": "custom", "command": "/bin/sh"}}',
                    "a: &x {command: /bin/sh, backend: custom}\ncli: *x\n", "cli:\n  <<: {command: /bin/sh, backend: custom}\n"):
        body = json.dumps({"content": content})
        for headers, statuses in ((bearer("watch"), (403,)), (bearer("steer"), (403,)), ([], (401,)),
                                  (bearer("start") + [("X-Forwarded-For", "203.0.113.9")], (403, 400, 422)),
                                  (OWNER + [("X-Forwarded-For", "203.0.113.9")], (403, 400, 422))):
            scene.refused(scene.ask("POST", imports, headers, body), statuses, what="import of %r" % content[:60])
    # What clients may write is no configuration, whatever it says; a file of the owner's own is.
    scene.write("root/victim/.ralph/agent/memories.md", evil)
    scene.write("root/victim/.ralph/agent/tasks.jsonl", hooks)
    before = scene.settle()
    for name in (".ralph/agent/memories.md", ".ralph/agent/tasks.jsonl"):
        for headers in (bearer("start"), OWNER):
            remote = headers + [("X-Forwarded-For", "203.0.113.9")]
            body = json.dumps({"working_dir": "victim", "config_path": name, "prompt": "x"})
            scene.refused(scene.ask("POST", "/api/sessions", remote, body), (403, 400, 404, 422), what="a start with " + name)
    for body in ({"backend": "/bin/sh"}, {"backend": "custom"}, {"backend": "sh -c id"}, {"hats": "../../bin/sh"}):
        reply = scene.ask("POST", "/api/sessions", bearer("start") + [("X-Forwarded-For", "203.0.113.9")],
                          json.dumps({"working_dir": "victim", "prompt": "x", **body}))
        scene.refused(reply, (400, 403, 404, 422), what=str(body))
    return before


LINKS = {"memories": ".ralph/agent/memories.md", "tasks": ".ralph/agent/tasks.jsonl", "config": "ralph.yml"}


@attack("link-to-another-kind", key=True, ignore=["root/" + name for name in LINKS])
def link_to_another_kind(scene):
    """Memories, tasks or a configuration of a checked out repository are links to a file below a root that is none."""
    scene.write("root/.keys/api-key", SECRET)
    scene.write("root/notes.md", SECRET)
    targets = ("../.keys/api-key", "../notes.md", "../victim/ralph.yml")
    places = []
    for kind, name in LINKS.items():
        for number, target in enumerate(targets):
            if kind == "config" and target.endswith("ralph.yml"):
                continue  # another workspace's is one
            workspace = os.path.join(scene.root, kind, str(number))
            path = os.path.join(workspace, name)
            os.makedirs(os.path.dirname(path))
            os.makedirs(os.path.join(workspace, ".ralph"), exist_ok=True)
            os.symlink("../" * (name.count("/") + 1) + target, path)
            places.append((kind, workspace))
    before = scene.settle()
    for kind, workspace in places:
        reads = {"memories": (("GET", "/api/memories"), ("POST", "/api/memories/export")), "tasks": (("GET", "/api/tasks"),),
                 "config": (("POST", "/api/config/export"),)}[kind]
        for method, path in reads:
            reply = scene.ask(method, "%s?workspace=%s" % (path, workspace), bearer("watch"))
            scene.refused(reply, (403, 500), what="%s of %s" % (path, workspace))
            reply = scene.ask(method, "%s?workspace=%s" % (path, workspace), OWNER)
            scene.refused(reply, (500,), what="%s of %s" % (path, workspace))
        method, path, body = {"memories": ("PUT", "/api/memories", '{"content":"x"}'), "tasks": ("POST", "/api/tasks", '{"title":"x"}'),
                              "config": ("POST", "/api/config/import", '{"content":"a: 1"}')}[kind]
        reply = scene.ask(method, "%s?workspace=%s" % (path, workspace), OWNER, body)
        scene.refused(reply, (500,), what="%s of %s" % (path, workspace))
    return before


HOLDER = "import fcntl, sys, time; file = open(sys.argv[1]); fcntl.flock(file, 2); print('held', flush=True); time.sleep(3600)"
FORGED = ("held", "decoy", "self", "init", "group", "all", "zero", "huge", "text", "parent")


@attack("forged-lock-kill", ignore=["root/" + name for name in FORGED])
def forged_lock_kill(scene):
    """`loop.lock` names a process that is no run; a stop must not believe it."""
    decoy = scene.decoys[0].pid
    pids = (decoy, decoy, scene.server.process.pid, 1, -decoy, -1, 0, 2 ** 40, str(decoy), decoy)
    for name, pid in zip(FORGED, pids):
        # In a future in which every process has begun, so that its own start says nothing against it.
        entry = {"pid": pid, "started": "2099-01-01T00:00:00.000000000Z", "prompt": "x"}
        workspace = "root/" + name
        if name == "parent":
            workspace += "/.worktrees/forged"
            scene.write("root/parent/.ralph/loops.json", json.dumps({"loops": [dict(
                entry, id="forged", worktree_path=os.path.join(scene.place, workspace), workspace=scene.root + "/parent")]}))
        scene.write(workspace + "/.ralph/events.jsonl", '{"topic":"a.b","ts":"2026-11-21T03:20:36Z","payload":"x"}\n')
        scene.write(workspace + "/.ralph/current-loop-id", "forged\n")
        lock = scene.write(workspace + "/.ralph/loop.lock", json.dumps(entry))
        if name == "held":
            # The lock is really held, by somebody who is no ralph and works elsewhere.
            scene.decoys.append(subprocess.Popen(
                (sys.executable, "-c", HOLDER, lock), cwd="/", start_new_session=True, stdout=subprocess.PIPE))
            scene.decoys[-1].stdout.readline()
    blackbox.wait_until(lambda: len(scene.ask("GET", "/api/sessions").json()) >= 12, 10, "sessions with forged locks")
    before = scene.settle()
    for session in scene.ask("GET", "/api/sessions").json():
        for command in ("/pause", "/pause?now=1", "/resume", "/stop", "/stop?force=1"):
            reply = scene.ask("POST", "/api/sessions/%s%s" % (session["id"], command))
            scene.expect(reply.status in (200, 404, 409), "%s with a forged lock: %s" % (command, reply))
            scene.note("%s, nothing killed" % reply.status)
    return before


@attack("configuration-swapped", key=True, ignore=("root/victim/swap.yml", "root/victim/swap.next"))
def configuration_swapped(scene):
    """A library file that is a file when it is listed and a link out of the root when it is read."""
    target, following = scene.victim + "/swap.yml", scene.victim + "/swap.next"

    def swap():
        scene.write("root/victim/swap.next", "event_loop: {prompt_file: PROMPT.md}\n")
        os.replace(following, target)
        os.symlink(scene.outside + "/ralph.yml", following)
        os.replace(following, target)

    before = scene.settle()
    with swapping(scene, swap) as counts:
        end = time.monotonic() + 2
        # On a busy machine it goes on until there was a race at all.
        while time.monotonic() < end or counts[0] < ENOUGH_SWAPS and time.monotonic() < end + 30:
            reply = scene.ask("GET", "/api/configs/victim/swap.yml", OWNER)
            scene.expect(SECRET.encode() not in reply.body, "what a swapped link points at was read")
            if reply.status >= 400:
                scene.note("%d" % reply.status)
    scene.note("nothing of what lies outside")
    return before
