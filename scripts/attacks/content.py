"""Attacks by what lies in files and bodies: text that means something to whoever shows it, and text that grows."""
import gzip
import json
import os
import time

import blackbox
from attacks.scene import KEY, Reply, attack, request

# What each of them would do to a header, an event stream, or a line of a log.
INJECTED = "\r\nX-Injected: yes\r\n\r\nevent: injected\ndata: injected\nid: 999999\n\n"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x1bc\x9b31m\u202e"


@attack("header-injection")
def header_injection(scene):
    quoted = "%0d%0aX-Injected:%20yes%0d%0a%0d%0aevent:%20injected"
    for path in ("/api/sessions/%s", "/api/sessions/%s/events", "/api/sessions/%s/status", "/api/loops/%s", "/api/skills/%s",
                 "/api/configs/%s", "/api/devices/%s", "/%s"):
        reply = scene.ask("GET", path % quoted)
        scene.expect("x-injected" not in reply.headers, "a header was injected by %s" % path)
        scene.refused(reply, (400, 404, 405), what=path)
    for headers in ([("Idempotency-Key", "a\rb")], [("Origin", "http://localhost\rX-Injected: yes")],
                    [("Cookie", "ralph_client=\rX-Injected: yes")], [("Last-Event-ID", "1\rX-Injected: yes")],
                    [("Accept", "application/problem+json\rX-Injected: yes")]):
        received = scene.talk(request("POST", "/api/sessions/%s/emit" % scene.id, headers, '{"topic":"a.b"}'))
        scene.expect(b"\nX-Injected" not in received and b"\rX-Injected" not in received, "%s came back" % headers)
        scene.refused(received, (400, 403), what=str(headers))
    for topic in ("a" + INJECTED, "a\nb", "a\rb", "a\u2028b", "a: b", "a\u0000"):
        reply = scene.ask("POST", "/api/sessions/%s/emit" % scene.id, body=json.dumps({"topic": topic}))
        scene.refused(reply, (400,), what="the topic %r" % topic)


@attack("stream-injection", flags=("--log-level", "trace"))
def stream_injection(scene):
    """Topics, payloads and names of files that end lines, in streams and in the log."""
    name = "odd\nrunning: injected\r\n\r\nevent: injected"
    with open(os.path.join(scene.victim, ".ralph/events.jsonl"), "a") as file:
        for member in ("topic", "payload", "hat", "ts", "iteration"):
            file.write(json.dumps({"topic": "a.b", "ts": "2026-11-21T03:20:36Z", "payload": "x", member: "x" + INJECTED}) + "\n")
        file.write('{"topic":"a\u2028b","ts":"2026-11-21T03:20:36Z","payload":"\u0085\u2029"}\n')
    scene.write("root/%s/.ralph/events.jsonl" % name, '{"topic":"a.b","ts":"2026-11-21T03:20:36Z","payload":"x"}\n')
    scene.write("root/victim/presets/%s.yml" % name.replace("/", "_"), "event_loop: {prompt_file: PROMPT.md}\n")
    blackbox.wait_until(
        lambda: len(scene.ask("GET", "/api/sessions").json()) >= 3 and scene.ask(
            "GET", "/api/sessions/%s/status" % scene.id).json()["last_seq"] >= 6, 20, "the odd files")
    before = scene.settle()
    for path in ("/api/sessions/%s/events?follow=false" % scene.id, "/api/events?follow=false&tail=all",
                 "/api/sessions/%s/events?follow=false&control=events" % scene.id):
        received = scene.talk(request("GET", path, version="1.0"))
        _, _, body = received.partition(b"\r\n\r\n")
        lines = [line for line in body.replace(b"\r", b"\n").split(b"\n") if line.startswith((b"event: injected", b"id: 999999", b"data: injected"))]
        scene.expect(not lines, "%s: %r" % (path, lines))
        scene.expect(body.count(b"\ndata: ") >= 5, "%s has no events: %r" % (path, body[:200]))
        scene.note("each event is one line")
    received = scene.talk(request("GET", "/api/sessions/%s/export" % scene.id))
    scene.expect("x-injected" not in Reply(received).headers, "export: a header was injected")
    scene.ask("GET", "/api/configs"), scene.ask("GET", "/api/presets")
    with open(scene.server.log_path, encoding="utf-8") as log:
        injected = [line for line in log if line.startswith(("running: injected", "event: injected", "X-Injected"))]
    scene.expect(not injected, "lines of the log: %s" % injected)
    scene.note("no line of the log")
    return before


@attack("terminal-escapes", flags=("--log-level", "trace"))
def terminal_escapes(scene):
    name = "odd" + ESCAPES
    scene.write("root/%s/.ralph/events.jsonl" % name, json.dumps(
        {"topic": ESCAPES, "ts": ESCAPES, "payload": ESCAPES}, ensure_ascii=False) + "\n" + ESCAPES + "\n")
    scene.write("root/%s/ralph.yml" % name, "cli: [%s\n" % ESCAPES)
    os.symlink(ESCAPES, os.path.join(scene.root, name, ".ralph/current-events"))
    before = scene.settle()
    # The lines of the start name the workspaces.
    scene.server.kill()
    scene.server.start()
    blackbox.wait_until(lambda: len(scene.ask("GET", "/api/sessions").json()) >= 3, 10, "the odd workspace")
    for target, body in (("/api/sessions", json.dumps({"working_dir": ESCAPES, "prompt": "x"})), ("/api/sessions/%1b[2J/stop", ""),
                         ("/api/sessions", ESCAPES), ("/%1b[31m", ""),
                         ("/api/sessions", json.dumps({"working_dir": name, "prompt": "x", "config_path": ESCAPES + ".yml"}))):
        scene.refused(scene.ask("POST", target, [], body), (400, 404, 405), what=target)
    for session in scene.ask("GET", "/api/sessions").json():
        scene.ask("POST", "/api/sessions/%s/pause" % session["id"])
    with open(scene.server.log_path, "rb") as log:
        text = log.read()
    for bad in (b"\x1b", b"\x07", b"\xc2\x9b", "\u202e".encode()):
        scene.expect(bad not in text, "the terminal gets %r: %r" % (bad, text[max(0, text.find(bad) - 60):][:160]))
    scene.note("no control character in what the terminal shows")
    return before


@attack("json-bomb")
def json_bomb(scene):
    deep, wide = 200000, 100000
    for body in ("[" * deep, '{"a":' * deep, '{"prompt":' + "[" * deep + "]" * deep + "}", "[" * deep + "]" * deep,
                 '{"prompt":"' + "\\" * 999999, "{" + ",".join('"a%d":1' % n for n in range(wide)) + "}", '{"max_iterations":1e999}',
                 '{"max_iterations":' + "9" * 100000 + "}", '{"working_dir":"\\ud800","prompt":"x"}', b'{"working_dir":"\xff\xfe","prompt":"x"}', "\x00" * 100000,
                 '{"working_dir":"victim","working_dir":{"a":1},"prompt":"x"}', "nan", '{"prompt":"' + "a" * 200000 + '"}'):
        begin = time.monotonic()
        for path in ("/api/sessions", "/api/sessions/%s/emit" % scene.id, "/api/robot/response", "/api/pairing/redeem"):
            reply = scene.ask("POST", path, [("Content-Type", "application/json")], body)
            scene.refused(reply, (400, 401, 403, 404, 409, 413, 422, 429), what="%s with %r" % (path, body[:20]))
        scene.expect(time.monotonic() - begin < 10, "%r took %.1f s" % (body[:20], time.monotonic() - begin))


@attack("deep-configuration", stack=2 << 20)
def deep_configuration(scene):
    """With the stacks that threads would have where there is no limit of them."""
    for name, text in (("maps", "a: " + 30000 * "{a: "), ("keys", 30000 * "? " + "a"), ("lists", "a: " + 30000 * "[")):
        scene.write("root/%s/ralph.yml" % name, text + "\n")
        scene.write("root/%s/.ralph/events.jsonl" % name, '{"topic":"a.b","ts":"2026-11-21T03:20:36Z","payload":"x"}\n')
    before = scene.settle()
    blackbox.wait_until(lambda: len(scene.ask("GET", "/api/sessions").json()) == 5, 20, "the deep workspaces")
    configs = scene.ask("GET", "/api/configs").json()["configs"]
    problems = [config["error"] for config in configs if "error" in config]
    scene.expect(len(problems) == 3, "of the deep configurations these were refused: %s" % problems)
    for problem in problems:
        scene.note(problem.partition(": ")[2][:29])
    return before


@attack("zip-bomb")
def zip_bomb(scene):
    """A compressed body is never unpacked."""
    packed = gzip.compress(b'{"working_dir":"victim","prompt":"x"}' + b" " * (64 << 20))
    memory = scene.server.status_line("VmRSS")
    for coding in ("gzip", "deflate", "br", "zstd", "gzip, gzip"):
        reply = scene.ask("POST", "/api/sessions", [("Content-Encoding", coding), ("Content-Type", "application/json")], packed)
        scene.refused(reply, (400, 415), what="a body in " + coding)
    reply = Reply(scene.talk(request("POST", "/api/sessions", [("Transfer-Encoding", "gzip, chunked")]) +
                             b"%x\r\n" % len(packed) + packed + b"\r\n0\r\n\r\n"))
    scene.refused(reply, (400, 415, 501), what="a transfer in gzip")
    grown = (scene.server.status_line("VmHWM") - memory) >> 20
    scene.expect(grown < 60, "memory grew by %d MiB" % grown)


def bombs():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        lines.append("a%d: &a%d [%s]" % (level, level, ", ".join(["*a%d" % (level - 1)] * 10)))
    yield "aliases", "\n".join(lines) + "\ncli: *a11\n"
    yield "merges", "a: &a {b: 1}\n" + "\n".join("m%d: &m%d {<<: [*a, *a]}" % (n, n) for n in range(9000)) + "\n"
    yield "itself", "a: &a [*a, *a]\nhats: *a\n"
    yield "depth", "a: " + "[" * 100000 + "]" * 100000
    yield "indent", "".join(" " * n + "a:\n" for n in range(2000))
    yield "documents", "---\na: 1\n" * 20000
    yield "tags", "a: !!python/object/apply:os.system ['touch pwned']\ncli: !<tag:yaml.org,2002:binary> aGk=\n"


@attack("yaml-bomb")
def yaml_bomb(scene):
    for name, text in bombs():
        scene.write("root/victim/presets/%s.yml" % name, text)
        scene.write("root/victim/%s/ralph.yml" % name, text)
        scene.write("root/victim/%s/PROMPT.md" % name, "x")
    os.makedirs(os.path.join(scene.victim, "skills/bomb"))
    scene.write("root/victim/skills/bomb/SKILL.md", "---\n" + dict(bombs())["aliases"] + "---\nx\n")
    before, memory = scene.settle(), scene.server.status_line("VmRSS")
    for path in ("/api/configs", "/api/presets", "/api/hats", "/api/skills", "/api/prompts") + tuple(
            "/api/hats?workspace=%s/%s" % (scene.victim, name) for name, _ in bombs()):
        begin = time.monotonic()
        reply = scene.ask("GET", path)
        scene.expect(reply.status in (200, 400, 404, 503), "%s: %s" % (path, reply))
        scene.expect(len(reply.body) < 4 << 20, "%s gave %d bytes" % (path, len(reply.body)))
        scene.expect(time.monotonic() - begin < 8, "%s took %.1f s" % (path, time.monotonic() - begin))
        scene.note("%d within bounds" % reply.status)
    for name, text in bombs():
        begin = time.monotonic()
        body = json.dumps({"content": text})
        reply = scene.ask("POST", "/api/config/import?workspace=%s/%s" % (scene.victim, name), [("X-Forwarded-For", "203.0.113.9")], body)
        scene.refused(reply, (401,), what="import of " + name)
        scene.expect(time.monotonic() - begin < 8, "%s took %.1f s" % (name, time.monotonic() - begin))
    for name in ("aliases", "itself", "depth"):
        body = json.dumps({"working_dir": "victim/" + name, "prompt": "x", "config_path": "ralph.yml"})
        reply = scene.ask("POST", "/api/sessions", body=body)
        scene.refused(reply, (400, 403, 404, 413, 422, 500), what="a start with " + name)
        reply = scene.ask("POST", "/api/config/import?workspace=" + scene.victim, body=json.dumps({"content": dict(bombs())[name]}))
        scene.refused(reply, (400, 403, 413, 422), what="import of " + name)
    grown = (scene.server.status_line("VmHWM") - memory) >> 20
    scene.expect(grown < 400, "memory grew by %d MiB" % grown)
    return before


@attack("last-event-id-foreign", key=True)
def last_event_id_foreign(scene):
    """A cursor of another session, store or place gives a gap, and only what this stream may show."""
    owner = [("X-Api-Key", KEY)]
    sessions = {session["working_dir"]: session for session in scene.ask("GET", "/api/sessions", owner).json()}
    other = sessions[os.path.join(scene.root, "other")]["id"]
    for cursor in ("evt_%s-1" % other, "%s:1" % ("0" * 16), "%s:1" % ("f" * 8), "999999", "-1", "9" * 40, "0x1", "1e3", "evt_x-1",
                   "1\u0000", "../1", "'; DROP TABLE events; --", "a" * 5000, "*", ":", "1:1:1"):
        headers = owner + [("Last-Event-ID", cursor)]
        received = scene.talk(request("GET", "/api/sessions/%s/events?follow=false" % scene.id, headers, version="1.0"))
        reply = Reply(received)
        scene.expect(reply.status in (200, 400), "Last-Event-ID %r: %s" % (cursor[:40], reply))
        scene.expect(other.encode() not in reply.body, "Last-Event-ID %r shows another session" % cursor[:40])
        gap = b": gap" in reply.body
        scene.note("400" if reply.status == 400 else "a gap" if gap else "this session's events alone")
    scene.refused(scene.ask("GET", "/api/sessions/%s/events" % scene.id, [("Last-Event-ID", "evt_%s-1" % other)]), (401,))
