"""What the black-box tests share: the server as a process, its JSON, its event streams, and workspaces to write into.

Standard library only. Everything happens on loopback and below one temporary directory; both end with the test.
"""
import asyncio
import contextlib
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Whoever starts a script may have it blocked; an interrupt is to end the server and all else that was started here.
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


class Violation(Exception):
    """The server broke a promise."""


class Refused(Violation):
    """It answered something else than what was asked for."""


def add_common_arguments(parser):
    parser.add_argument("--binary", default=os.path.join(PROJECT, ".build/release/ralph-mobile-server"),
                        help="the server to test (default: the release build)")
    parser.add_argument("--keep", action="store_true", help="keep the temporary directory, with the server's log")


@contextlib.contextmanager
def temporary_directory(name, keep=False):
    path = os.path.realpath(tempfile.mkdtemp(prefix="ralph-%s-" % name))
    try:
        yield path
    finally:
        if keep:
            print("kept: " + path)
        else:
            shutil.rmtree(path, ignore_errors=True)


def session_id(workspace):
    """The id that the session in `workspace` must have (architecture.md, glossary)."""
    return hashlib.sha256(os.path.join(os.path.realpath(workspace), ".ralph").encode()).hexdigest()[:16]


def reserved_port():
    """A socket on a free port, which is nobody else's while it is open; a server may listen there, as it reuses addresses."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    return holder


def wait_until(condition, seconds, what, server=None):
    """Waits with a deadline, and gives what the condition gave. With `server` see `Server.wait_for`."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(*(OSError, http.client.HTTPException) if server else ()):
            if found := condition():
                return found
        if server:
            server.check_alive()
        if time.monotonic() > deadline:
            raise Violation("waited %g s in vain for %s%s" % (
                seconds, what, ":\n" + server.log_tail() if server else ""))
        time.sleep(0.005)


class Server:
    """One server on `root`, which may be killed and started again; always on the same port and state directory."""

    def __init__(self, binary, root, place, *arguments):
        if not os.access(binary, os.X_OK):
            raise SystemExit("%s is not there; scripts/build makes it, --binary names another" % binary)
        self.binary, self.root, self.arguments = os.path.abspath(binary), root, arguments
        self.state, self.log_path = os.path.join(place, "state"), os.path.join(place, "server.log")
        self.holder = reserved_port()
        self.port, self.process = self.holder.getsockname()[1], None
        # Variables that it gets beside those of this process.
        self.environment = {}

    def spawn(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                (self.binary, "--root", self.root, "--state-dir", self.state, "--port", str(self.port),
                 "--log-level", "warning", *self.arguments),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**{k: v for k, v in os.environ.items() if not k.startswith("RALPH_")}, **self.environment})

    def start(self, seconds=30):
        """Starts and waits until `/health` answers and the sessions are known."""
        self.spawn()
        self.wait_for(lambda: self.request("/health", timeout=2)[0] == 200 and self.knows_sessions(), seconds, "/health")

    async def start_async(self, seconds=30):
        """Starts and waits until it listens and the sessions are known."""
        self.spawn()
        await asyncio.to_thread(self.wait_for, lambda: self.listens() and self.knows_sessions(), seconds, "a connection")

    def listens(self):
        socket.create_connection(("127.0.0.1", self.port), 2).close()
        return True

    def knows_sessions(self):
        """Whether the first look at the roots is over: where that takes long, the server listens before."""
        return b'"scanning"' not in self.request("/readyz", timeout=2)[1]

    def wait_for(self, condition, seconds, what):
        """Waits for a condition that may fail to reach the server, which has to live on."""
        return wait_until(condition, seconds, what, self)

    def check_alive(self):
        if self.process.poll() is not None:
            raise Violation("the server ended with status %s:\n%s" % (self.process.returncode, self.log_tail()))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()

    def log_tail(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:]

    def request(self, path, timeout=60, method="GET", body=None, headers=None):
        """One request on a connection of its own: status and body. `body` is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def command(self, path, body=None, method="POST", expect=(200,), timeout=60, headers=None):
        """A request that changes something: the JSON of its answer."""
        status, answer = self.request(path, timeout, method, body, headers)
        if status not in expect:
            raise Violation("%s %s answered %d: %s" % (method, path, status, answer[:300].decode(errors="replace")))
        return json.loads(answer)

    def json(self, path, timeout=60):
        status, body = self.request(path, timeout)
        if status != 200:
            raise Violation("GET %s answered %d: %s" % (path, status, body[:300].decode(errors="replace")))
        return json.loads(body)

    def status_line(self, name):
        """The number behind `name` in `/proc/<pid>/status`, in bytes."""
        with open("/proc/%d/status" % self.process.pid) as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
        raise Violation("/proc has no %s of the server" % name)

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def distinct_descriptors(self):
        """As many descriptors as would do: those that share a socket count once, as a lent one does."""
        folder, sockets, others = "/proc/%d/fd" % self.process.pid, set(), 0
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                target = os.readlink("%s/%s" % (folder, name))
                if target.startswith("socket:"):
                    sockets.add(target)
                else:
                    others += 1
        return len(sockets) + others


class Frame:
    """One SSE frame: its id, its data, and the comments in it."""
    __slots__ = ("id", "data", "comments")

    def __init__(self, text):
        self.id, self.data, self.comments = None, None, []
        for line in text.split(b"\n"):
            if line.startswith(b"data: "):
                if self.data is not None:
                    raise Violation("two data lines in one frame: %r" % text[:200])
                self.data = line[6:]
            elif line.startswith(b"id: "):
                self.id = line[4:].decode()
            elif line.startswith(b":"):
                self.comments.append(line[1:].strip().decode())


async def pieces(reader, head):
    """The body behind `head`, as it comes: in chunks, of a known length, or up to the end of the connection."""
    if "\r\ntransfer-encoding: chunked\r\n" in head:
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            yield (await reader.readexactly(size + 2))[:-2]
    elif "\r\ncontent-length: " in head:
        yield await reader.readexactly(int(head.split("\r\ncontent-length: ")[1].split("\r\n")[0]))
    else:
        while piece := await reader.read(1 << 16):
            yield piece


async def frames(reader, head):
    """The frames of the body behind `head`; an incomplete last one is dropped, as EventSource does."""
    rest = b""
    async for piece in pieces(reader, head):
        *complete, rest = (rest + piece).split(b"\n\n")
        for text in complete:
            if text:
                yield Frame(text)


@contextlib.asynccontextmanager
async def event_stream(port, path, last_event_id=None):
    """Opens an event stream and gives an async iterator of its frames; OSError and EOFError when it breaks."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    try:
        cursor = "Last-Event-ID: %s\r\n" % last_event_id if last_event_id else ""
        writer.write(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n%s\r\n"
                      % (path, port, cursor)).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(head.split(" ", 2)[1])
        if status != 200 or "content-type: text/event-stream\r\n" not in head:
            raise Refused("GET %s answered\n%s" % (path, head))
        stream = frames(reader, head)
        async with contextlib.aclosing(stream):
            yield stream
    finally:
        writer.close()


def read_events(server, path):
    """All events of a stream that ends by itself (`follow=false`), and its comments."""
    async def collect():
        events, comments = [], []
        async with event_stream(server.port, path) as stream:
            async for frame in stream:
                comments += frame.comments
                if frame.data is not None:
                    event = json.loads(frame.data)
                    if frame.id is not None and frame.id != str(event["seq"]):
                        raise Violation("id %s on the frame of seq %s" % (frame.id, event["seq"]))
                    events.append(event)
        return events, comments
    try:
        return asyncio.run(asyncio.wait_for(collect(), 120))
    except (OSError, EOFError) as error:
        raise Violation("GET %s broke off: %s" % (path, error or type(error).__name__)) from error


class Workspace:
    """A workspace with one run in it, written the way that Ralph writes."""

    def __init__(self, root, name):
        self.path, self.runs = os.path.join(root, name), 0
        os.makedirs(os.path.join(self.path, ".ralph"))
        self.id = session_id(self.path)
        self.file = self.events_path = None
        self.begin_run()

    def begin_run(self):
        """Points `current-events` to a new events file and opens that with a start row."""
        if self.file is not None:
            os.close(self.file)
        self.runs += 1
        name = "events-20260101-%02d%02d%02d.jsonl" % (self.runs // 3600, self.runs // 60 % 60, self.runs % 60)
        with open(os.path.join(self.path, ".ralph", "current-events"), "w") as pointer:
            pointer.write(".ralph/" + name)
        self.events_path = os.path.join(self.path, ".ralph", name)
        self.file = os.open(self.events_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self.write(json.dumps({"ts": now(), "iteration": 0, "hat": "loop", "topic": "task.start",
                               "triggered": "planner", "payload": "run %d" % self.runs}).encode() + b"\n")

    def write(self, text):
        os.write(self.file, text)

    def truncate(self):
        os.ftruncate(self.file, 0)

    def close(self):
        os.close(self.file)


def now():
    moment = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + ".%06d+00:00" % (moment % 1 * 1e6)


def line(number, topic="test.line", padding=""):
    """A line of an events file that carries `number`, with its LF."""
    return b'{"payload":"%d %s","topic":"%s","ts":"%s"}\n' % (
        number, padding.encode(), topic.encode(), now().encode())


def number_of(event, topic="test.line"):
    """The number that `line` put into an event; None for any other event."""
    return int(event["payload"].split(" ", 1)[0]) if event.get("topic") == topic else None


async def newest_number(port, session):
    """The number of the newest of `line`'s events among the newest 40 that the server has; None if there is none."""
    newest = None
    async with event_stream(port, "/api/sessions/%s/events?tail=40&follow=false" % session) as stream:
        async for frame in stream:
            number = number_of(json.loads(frame.data)) if frame.data is not None else None
            newest = newest if number is None else number
    return newest
