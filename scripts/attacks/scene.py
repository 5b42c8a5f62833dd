"""What all attacks share: a server with something to lose, requests byte for byte, and what must not have changed.

Standard library only. A request is sent as it was published, so nothing here tidies one up.
"""
import concurrent.futures
import hashlib
import json
import os
import resource
import socket
import stat
import subprocess
import time

import blackbox
import controlling
from blackbox import Violation

KEY = "attack-key-0123456789abcdef0123456789abcdef"
SECRET = "decoy-secret-6b1f"
# Name: (function, options); in the order in which they run.
ATTACKS = {}


def attack(name, **options):
    """Registers an attack. `slow`: longer than ten seconds. `key`: the server has a key. `run`: a run works in the
    workspace `live`. `flags`: of the server. `ralph`: a script in place of the stand-in. `ignore`: paths below the place that the attack itself changes.
    `stack`: the limit of stacks, in bytes, that the server is started with."""
    def register(function):
        ATTACKS[name] = (function, options)
        return function
    return register


class Reply:
    """An answer: its status, its headers in lower case, its body, and how the body says what is wrong."""

    def __init__(self, text):
        head, _, self.body = text.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        parts = lines[0].split(" ", 2)
        self.status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self.raw = text

    @property
    def error(self):
        try:
            return str(json.loads(self.body)["error"])
        except (ValueError, KeyError, TypeError):
            return ""

    def json(self):
        return json.loads(self.body)

    def __str__(self):
        word = self.error.split(":")[0]
        # Some errors are sentences, as clients know them.
        return "%d %s" % (self.status, word) if word and " " not in word else str(self.status)


def token(scope):
    """The token of the paired device of this scope."""
    return "rmd_" + hashlib.sha256(("token of " + scope).encode()).hexdigest()


def paired(scope, number):
    return {"id": "%012x" % number, "name": scope, "scope": scope, "createdAt": 1789000000000 + number,
            "tokenDigest": hashlib.sha256(token(scope).encode()).hexdigest()}


def request(method, target, headers=(), body=b"", host="127.0.0.1", version="1.1"):
    """The bytes of a request; `headers` are pairs, `host` may be a list, or None for no such header."""
    body = body.encode() if isinstance(body, str) else body
    hosts = host if isinstance(host, (list, tuple)) else [] if host is None else [host]
    pairs = [("Host", name) for name in hosts] + list(headers)
    if body and not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in pairs):
        pairs.append(("Content-Length", str(len(body))))
    head = "%s %s HTTP/%s\r\n" % (method, target, version) + "".join("%s: %s\r\n" % pair for pair in pairs) + "\r\n"
    return head.encode("utf-8", "surrogateescape") + body


class Scene:
    """A root with a workspace, a decoy directory beside it, decoy processes, and a server that may lose them."""

    def __init__(self, binary, place, options):
        self.place, self.options = place, options
        self.root, self.outside = os.path.join(place, "root"), os.path.join(place, "decoy")
        self.victim = os.path.join(self.root, "victim")
        self.refusals, self.requests, self.run, self.decoys = {}, 0, None, []
        self.write("root/victim/.ralph/events.jsonl", '{"topic":"note.a","ts":"2026-11-21T03:20:36Z","payload":"n"}\n')
        self.write("root/victim/ralph.yml", controlling.CONFIG.format(
            iterations=5, agent=controlling.AGENT, steps="agent.steps", robot="false"))
        self.write("root/victim/agent.steps", "always:\n  say working\n  wait 60000\n")
        self.write("root/victim/PROMPT.md", "Work.\n")
        self.write("root/other/.ralph/events.jsonl", '{"topic":"note.b","ts":"2026-11-21T03:20:36Z","payload":"o"}\n')
        self.write("decoy/secret.txt", SECRET + "\n")
        self.write("decoy/ralph.yml", "event_loop: {prompt_file: PROMPT.md} # %s\n" % SECRET)
        self.write("decoy/PROMPT.md", SECRET + "\n")
        self.write("state/devices.json", json.dumps(
            [paired(scope, number) for number, scope in enumerate(("watch", "answer", "steer", "start", "other"), 1)
             if scope != "other"] + [dict(paired("other", 9), scope="watch")]))
        os.chmod(os.path.join(place, "state"), 0o700)
        self.id = blackbox.session_id(self.victim)
        ralph = controlling.ralph()
        if "ralph" in options:
            ralph = self.write("ralph", options["ralph"])
            os.chmod(ralph, 0o755)
        flags = list(options.get("flags", ())) + ["--ralph", ralph]
        self.server = blackbox.Server(binary, self.root, place, *flags)
        # `/proc/self/environ` of the server is a file with a secret, too.
        self.server.environment["ATTACK_MARK"] = SECRET
        if options.get("key"):
            self.server.environment["RALPH_API_KEY"] = KEY

    def write(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
        return path

    def start(self):
        self.decoy()
        if self.options.get("run"):
            self.run = controlling.Run(self.root, "live", milliseconds=600000)
        limits = resource.getrlimit(resource.RLIMIT_STACK)
        resource.setrlimit(resource.RLIMIT_STACK, (self.options.get("stack", limits[0]), limits[1]))
        try:
            self.server.start()
        finally:
            resource.setrlimit(resource.RLIMIT_STACK, limits)
        if self.run:
            headers = {"X-Api-Key": KEY} if self.options.get("key") else {}
            self.server.command("/api/sessions", {"working_dir": "live", "prompt": "Work."}, expect=(201,),
                                headers=headers)
            blackbox.wait_until(lambda: self.run.read("prompts.log"), 20, "the agent at work")
        self.settle()

    def decoy(self):
        """A process of somebody else, working in the workspace."""
        self.decoys.append(subprocess.Popen(("sleep", "3600"), cwd=self.victim, start_new_session=True))
        return self.decoys[-1]

    def stop(self):
        self.server.stop()
        if self.run:
            self.run.kill()
        for decoy in self.decoys:
            decoy.kill()
            decoy.wait()

    # Requests

    def connect(self, timeout=10):
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def talk(self, data, timeout=10, to_end=False):
        """Sends bytes on a connection of their own, and gives all that comes until the server closes, or, unless
        `to_end`, until one answer with a known length is whole; at most what comes in `timeout` seconds, as of a stream."""
        self.requests += 1
        received, end = b"", time.monotonic() + timeout
        with self.connect(timeout) as connection:
            try:
                connection.sendall(data)
                while to_end or not whole(received):
                    left = end - time.monotonic()
                    if left <= 0:
                        break
                    connection.settimeout(left)
                    piece = connection.recv(65536)
                    if not piece:
                        break
                    received += piece
            except (TimeoutError, ConnectionError):
                pass
        return received

    def ask(self, method, target, headers=(), body=b"", **options):
        if method == "HEAD":
            headers = list(headers) + [("Connection", "close")]  # its length is not that of a body
        for _ in range(30):
            # A start or an end may take 15 seconds each, by what is promised.
            reply = Reply(self.talk(request(method, target, headers, body, **options), timeout=40))
            # Asking too often is no part of most attacks; guessing too often is told in other words.
            if reply.status != 429 or b"Too many requests" not in reply.body:
                break
            time.sleep(float(reply.headers.get("retry-after", 1)))
        return reply

    def ask_all(self, requests, at_once=8):
        """Answers to requests of which `at_once` are under way at any time: wrong keys are answered late."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda one: self.ask(*one), requests))

    def refused(self, reply, statuses, errors=None, what=""):
        """Takes note of a refusal; anything else is a hole."""
        reply = reply if isinstance(reply, Reply) else Reply(reply)
        right = reply.status in statuses and (errors is None or reply.error.split(":")[0] in errors)
        if not right:
            raise Violation("%s was answered %s, not %s: %s" % (
                what or "the request", reply, " or ".join(map(str, statuses)),
                reply.raw[:300].decode("latin-1")))
        self.note(str(reply))
        return reply

    def note(self, how):
        self.refusals[how] = self.refusals.get(how, 0) + 1

    def expect(self, condition, what):
        if not condition:
            raise Violation(what)

    # What must not change

    def settle(self):
        """Waits until five looks at everything in a row are the same."""
        previous, same = None, 0
        for _ in range(200):
            now = self.snapshot()
            same = same + 1 if now == previous else 1
            if same == 5:
                return now
            previous = now
            time.sleep(0.05)
        raise Violation("the scene does not come to rest: %s" % difference(previous, self.snapshot()))

    def snapshot(self):
        return {"files": self.files(), "processes": self.processes(), "devices": self.devices()}

    def files(self):
        """Every path below the place but what is the server's own, with kind, mode, size and hash."""
        ignored = ("state", "server.log") + tuple(self.options.get("ignore", ()))
        found = {}
        for directory, names, files in os.walk(self.place):
            for name in names + files:
                path = os.path.join(directory, name)
                short = os.path.relpath(path, self.place)
                if any(short == part or short.startswith(part + "/") for part in ignored):
                    continue
                found[short] = describe(path)
        return found

    def processes(self):
        """Who descends from the server, or works in the place: pid and time of start, so that none is another."""
        table = process_table()
        own = {self.server.process.pid}
        found = {}
        for pid in sorted(table):
            lineage, current = set(), pid
            while current in table and current not in lineage:
                lineage.add(current)
                current = table[current]["parent"]
            inside = (table[pid]["directory"] + "/").startswith(self.place + "/")
            if pid not in own and (inside or own & lineage):
                found[pid] = (table[pid]["started"], table[pid]["name"])
        return found

    def devices(self):
        try:
            with open(os.path.join(self.place, "state/devices.json")) as file:
                return sorted((device["id"], device["scope"]) for device in json.load(file))
        except FileNotFoundError:
            return []

    def compare(self, before):
        deadline = time.monotonic() + 5
        while True:
            now = self.snapshot()
            if now == before:
                break
            if time.monotonic() > deadline:
                raise Violation("side effects: %s" % difference(before, now))
            time.sleep(0.05)
        for decoy in self.decoys:
            self.expect(decoy.poll() is None, "a decoy process was killed")
        self.expect(self.server.process.poll() is None, "the server has ended")


def whole(text):
    """Whether a complete answer with a length is there."""
    head, boundary, body = text.partition(b"\r\n\r\n")
    if not boundary:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return False


def describe(path):
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return "link to " + os.readlink(path)
    if not stat.S_ISREG(status.st_mode):
        return "%o" % status.st_mode
    with open(path, "rb") as file:
        return "%o %d %s" % (status.st_mode, status.st_size, hashlib.sha256(file.read()).hexdigest())


def difference(before, after):
    found = []
    for part in before:
        old, new = before[part], after[part]
        if isinstance(old, dict):
            found += ["%s: %s was %s, is %s" % (part, name, old.get(name), new.get(name))
                      for name in sorted(set(old) | set(new), key=str) if old.get(name) != new.get(name)]
        elif old != new:
            found.append("%s: were %s, are %s" % (part, old, new))
    return "; ".join(found[:6])


def process_table():
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry) as file:
                name, fields = file.read().split("(", 1)[1].rsplit(")", 1)
            fields = fields.split()
            if fields[0] in "ZX":
                continue
            found[int(entry)] = {"name": name, "parent": int(fields[1]), "started": fields[19],
                                 "directory": os.readlink("/proc/%s/cwd" % entry)}
        except (OSError, IndexError):
            continue
    return found
