"""Attacks on the protocol itself: requests that two readers take apart differently, and connections that never end."""
import contextlib
import multiprocessing
import resource
import socket
import time

import blackbox
from attacks.scene import KEY, Reply, attack, request

INNER = b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 38\r\n\r\n{\"working_dir\":\"victim\",\"prompt\":\"x\"}\n"


def smuggled():
    """Name and bytes: the first request is cut at a place that depends on the reader; the second starts a run."""
    head = b"POST /api/stream-tickets HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    chunked = b"0\r\n\r\n" + INNER
    length = b"Content-Length: %d\r\n"
    for name, lines in {
        "CL.TE": length % 6 + b"Transfer-Encoding: chunked\r\n",
        "TE.CL": b"Transfer-Encoding: chunked\r\n" + length % 4,
        "TE.TE": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "TE x": b"Transfer-Encoding: x\r\n",
        "TE xchunked": b"Transfer-Encoding: xchunked\r\n",
        "TE chunked, identity": b"Transfer-Encoding: chunked, identity\r\n",
        "TE with a blank before the colon": b"Transfer-Encoding : chunked\r\n" + length % 5,
        "TE with a tab": b"Transfer-Encoding:\tchunked\r\n" + length % 5,
        "TE with VT": b"Transfer-Encoding: \x0bchunked\r\n" + length % 5,
        "TE in a second line": b"Transfer-Encoding:\r\n chunked\r\n" + length % 5,
        "duplicate CL": length % 0 + length % len(chunked),
        "CL list": b"Content-Length: 0, %d\r\n" % len(chunked),
        "CL +": b"Content-Length: +0\r\n",
        "CL -": b"Content-Length: -1\r\n",
        "CL hex": b"Content-Length: 0x0\r\n",
        "CL with a blank": b"Content-Length: 0 5\r\n",
        "CL beyond 64 bits": b"Content-Length: 18446744073709551616\r\n",
        "CL with a blank before the colon": b"Content-Length : 5\r\n",
        "CL empty": b"Content-Length:\r\n",
        "obs-fold": b"X-A: b\r\n Content-Length: 5\r\n" + length % 0 + length % 5,
        "bare LF": b"X-A: b\nContent-Length: 5\r\n",
        "bare LF at the end": b"X-A: b\r\n\n",
        "bare CR": b"X-A: b\rContent-Length: 5\r\n",
        "NUL in a name": b"X\0A: b\r\n",
        "NUL in a value": b"X-A: b\0c\r\n",
        "no colon": b"X-A\r\n",
        "empty name": b": b\r\n",
        "blank before the first header": b" X-A: b\r\n",
    }.items():
        yield name, head + lines + b"\r\n" + chunked
    for name, size in (("negative chunk", b"-1"), ("chunk of 2^64", b"10000000000000000"), ("chunk 0x", b"0x1"),
                       ("chunk with a blank", b"1 1"), ("chunk with a bare LF", b"1\na\n0")):
        yield name, head + b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\na\r\n0\r\n\r\n" + INNER
    for name, line in (("HTTP/9.9", b"GET / HTTP/9.9"), ("HTTP/0.9", b"GET /"), ("no version", b"GET / HTTP"),
                       ("a method of our own", b"G\tET / HTTP/1.1"),
                       ("control in the target", b"GET /\x01 HTTP/1.1"), ("PRI", b"PRI * HTTP/2.0")):
        yield name, line + b"\r\nHost: 127.0.0.1\r\n\r\n" + INNER


@attack("request-smuggling")
def request_smuggling(scene):
    """None of them may end in two answers. One answer may be a success where the first request was a whole one, and
    then the connection has ended before the second."""
    for name, data in smuggled():
        received = scene.talk(data, timeout=3, to_end=True)
        answers = received.count(b"HTTP/1.1 ") + received.count(b"HTTP/1.0 ")
        scene.expect(answers <= 1, "%s: %d answers: %r" % (name, answers, received[:400]))
        scene.expect(b" 201 Created" not in received or b'"pid"' not in received, "%s started a run" % name)
        reply = Reply(received)
        scene.expect(not received or 400 <= reply.status < 500 or reply.status in (501, 505), "%s: %s" % (name, reply))
        scene.note("%d" % reply.status if received else "a closed connection")


@attack("smuggled-body-of-a-refused-request", key=True)
def smuggled_body(scene):
    """What follows a refusal on the same connection is not read as a request."""
    for headers in ([("X-Api-Key", "wrong")], [("X-Api-Key", KEY), ("Origin", "https://evil.example")],
                    [("X-Api-Key", KEY), ("Host", "evil.example")]):
        inner = request("POST", "/api/sessions", [("X-Api-Key", KEY)], '{"working_dir":"victim","prompt":"x"}')
        data = request("POST", "/api/sessions", headers, inner, host=None if headers[-1][0] == "Host" else "127.0.0.1")
        received = scene.talk(data + inner, to_end=True)
        scene.expect(received.count(b"HTTP/1.1 ") == 1, "%s: %r" % (headers, received[:300]))
        scene.refused(received, (400, 401, 403, 421))


@attack("oversized-requests")
def oversized_requests(scene):
    for data, statuses in (
            (request("GET", "/" + "a" * 70000), (400, 414, 431)), (request("GET", "/", [("X-A", "a" * 70000)]), (431,)),
            (request("GET", "/", [("X-%d" % n, "a") for n in range(500)]), (431,)),
            (request("GET", "/?" + "a=b&" * 20000), (400, 414, 431)),
            (request("POST", "/api/sessions", [("Content-Length", str(1 << 40))]), (413,)),
            (request("POST", "/api/sessions", [("Content-Length", str(9 << 20))]), (413,)),
            (b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX:" + b" " * 160000, (431,)),
            (b"GET /livez" + b" " * 160000, (431,)), (b"A" * 70000, (400, 414, 431)),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + b"a" * 70000, (431,))):
        scene.refused(scene.talk(data), statuses, what="a request of %d bytes" % len(data))


def serves(scene, seconds):
    """The probe and the list answer, although."""
    for path in ("/livez", "/api/sessions"):
        begin = time.monotonic()
        reply = scene.ask("GET", path)
        scene.expect(reply.status == 200, "%s was answered %s meanwhile" % (path, reply))
        scene.expect(time.monotonic() - begin < seconds, "%s took %.1f s meanwhile" % (path, time.monotonic() - begin))


def drip(scene, count, first, piece, seconds):
    """Keeps `count` connections busy with a byte now and then; gives how the server ended each."""
    ends = []
    with contextlib.ExitStack() as stack:
        open_ones = []
        for _ in range(count):
            connection = stack.enter_context(scene.connect())
            connection.setblocking(False)
            open_ones.append(connection)
            with contextlib.suppress(OSError):
                connection.send(first)
        end = time.monotonic() + seconds
        received = {connection: b"" for connection in open_ones}
        checked = False
        while open_ones and time.monotonic() < end:
            for connection in list(open_ones):
                try:
                    with contextlib.suppress(BlockingIOError):
                        connection.send(piece)
                    text = connection.recv(4096)
                except BlockingIOError:
                    continue
                except OSError:
                    text = b""
                received[connection] += text
                if not text:
                    open_ones.remove(connection)
                    ends.append(Reply(received[connection]).status)
            if not checked:
                serves(scene, 2)
                checked = True
            time.sleep(0.5)
        scene.requests += count
        scene.expect(not open_ones, "%d of %d connections are still open after %d s" % (len(open_ones), count, seconds))
    return ends


@attack("slowloris-headers", slow=True)
def slowloris_headers(scene):
    for status in drip(scene, 200, b"GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ", b"a", 20):
        scene.expect(status in (0, 408, 429, 503), "a dripped head was answered %d" % status)
        scene.note("%d" % status if status else "a closed connection")


@attack("slowloris-body", slow=True)
def slowloris_body(scene):
    head = b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{"
    for status in drip(scene, 200, head, b" ", 45):
        scene.expect(status in (0, 408, 429, 503), "a dripped body was answered %d" % status)
        scene.note("%d" % status if status else "a closed connection")


def hold(port, count, ready, over):
    """Half-open connections of one process: a part of a head, and nothing more."""
    held = []
    for number in range(count):
        with contextlib.suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", port), 10)
            connection.sendall(b"GET /api/sessions HT" if number % 2 else b"")
            held.append(connection)
    ready.put(len(held))
    over.wait(60)


@attack("half-open-connections", slow=True)
def half_open_connections(scene):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ready, over = multiprocessing.Queue(), multiprocessing.Event()
    workers = [multiprocessing.Process(target=hold, args=(scene.server.port, 1000, ready, over)) for _ in range(10)]
    try:
        for worker in workers:
            worker.start()
        held = sum(ready.get(timeout=60) for _ in workers)
        scene.expect(held > 5000 or hard < 12000, "only %d connections could be made" % held)
        serves(scene, 5)
        # They send nothing more, and are not waited for.
        blackbox.wait_until(lambda: connections(scene) < 100, 30, "the end of the half-open connections")
        serves(scene, 2)
        scene.note("%s closed after their time" % ("10000 connections" if held == 10000 else "all connections"))
    finally:
        over.set()
        for worker in workers:
            worker.join(10)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connections(scene):
    return scene.server.descriptors()


@attack("many-streams", key=True)
def many_streams(scene):
    """One device may not take all streams: beyond its share it is told so, and others are served."""
    from attacks.credentials import bearer
    with contextlib.ExitStack() as stack:
        last = None
        for _ in range(400):
            connection = stack.enter_context(scene.connect())
            connection.sendall(request("GET", "/api/events?tail=0", bearer("watch")))
            last = Reply(connection.recv(65536))
            if last.status != 200:
                break
        scene.refused(last, (429, 503), what="the stream number 400 of one device")
        other = scene.ask("GET", "/api/sessions", [("X-Api-Key", KEY)])
        scene.expect(other.status == 200, "meanwhile the owner was answered %s" % other)
