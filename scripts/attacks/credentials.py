"""Attacks by who can reach the server but may not do this: strangers, tunnels, and devices of a smaller scope."""
import hashlib
import json
import os
import subprocess
import time

import blackbox
from attacks.scene import KEY, Reply, attack, request, token

START = json.dumps({"working_dir": "victim", "prompt": "x"})
OPEN = ("/health", "/livez", "/readyz", "/.well-known/ralph-mobile", "/api/pairing/redeem", "/pair", "/pair.svg",
        "/pair.png")


def routes(scene):
    """Method and path of every route, with an id where one belongs."""
    listed = subprocess.run((scene.server.binary, "--routes"), stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listed.splitlines():
        method, path = line.split(None, 1)
        path = path.replace("/api/sessions/{id}", "/api/sessions/" + scene.id).replace("{path...}", "x/ralph.yml")
        yield method, path.replace("/api/devices/{id}", "/api/devices/000000000001").replace("{id}", "x").replace(
            "{name}", "x")


def bearer(name):
    return [("Authorization", "Bearer " + token(name))]


@attack("unauthenticated-bind", flags=("--bind-all",))
def unauthenticated_bind(scene):
    for method, path in routes(scene):
        if path not in OPEN:
            reply = scene.ask(method, path, body="{}" if method != "GET" else "")
            scene.refused(reply, (401,), ("unauthorized",), "%s %s" % (method, path))
            scene.expect(reply.headers.get("www-authenticate"), "no WWW-Authenticate at " + path)
    for path in ("/health", "/livez", "/readyz", "/.well-known/ralph-mobile"):
        text = scene.ask("GET", path, [("Accept", "application/json")]).body
        scene.expect(scene.root.encode() not in text and scene.id.encode() not in text, "%s tells strangers" % path)


@attack("start-without-key")
def start_without_key(scene):
    """Settings that would leave a server open to a network do not start one."""
    readable = scene.write("keys/readable", "0123456789abcdef0123\n")
    os.chmod(readable, 0o644)
    short, shared = scene.write("keys/short", "short\n"), os.path.join(scene.place, "shared")
    os.chmod(short, 0o600)
    os.mkdir(shared)
    os.chmod(shared, 0o777)
    scene.write("keys/empty", "")
    os.mkfifo(os.path.join(scene.place, "keys/pipe"), 0o600)
    before = scene.settle()
    for flags in (["--no-auth", "--bind-all"], ["--no-auth", "--bind", "::"], ["--no-auth", "--bind", "127.evil.example"],
                  ["--no-auth", "--bind", "0.0.0.0:0"], ["--api-key-file", readable], ["--api-key-file", short],
                  ["--api-key-file", scene.place + "/keys/empty"], ["--api-key-file", scene.place + "/keys"],
                  ["--api-key-file", scene.place + "/keys/pipe"], ["--api-key-file", scene.place + "/keys/none"],
                  ["--state-dir", shared]):
        state = [] if "--state-dir" in flags else ["--state-dir", os.path.join(scene.place, "state/second")]
        try:
            done = subprocess.run(
                (scene.server.binary, "--root", scene.root, "--port", "0", *state, *flags), timeout=10,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            raise blackbox.Violation("a server started with %s" % " ".join(flags)) from None
        scene.expect(done.returncode > 0 and b"Starting" not in done.stdout, "a server started with %s" % " ".join(flags))
        scene.expect(done.stderr.startswith(b"ralph-mobile-server: "), "no reason given for %s" % " ".join(flags))
        scene.note("exit status %d" % done.returncode)
    return before


FORWARDED = ["X-Forwarded-For: 203.0.113.9", "Cf-Connecting-Ip: 203.0.113.9", "Forwarded: for=203.0.113.9",
             "X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: ::1", "Forwarded: for=127.0.0.1", "Via: 1.1 tunnel",
             "X-Real-IP: 127.0.0.1", "True-Client-IP: 127.0.0.1", "X-Forwarded-Host: evil.example",
             "X-Forwarded-Proto: https", "x-forwarded-for:", "X-FORWARDED-FOR: 127.0.0.1, 127.0.0.1",
             "CF-Ray: 8a1b", "Cdn-Loop: cloudflare", "Tailscale-User-Login: a@b.example", "X-Original-Host: a.example",
             "Tailscale-Funnel-Request: ?1", "Fly-Client-IP: 203.0.113.9", "X-Envoy-External-Address: 203.0.113.9",
             "X-Forwarded-Server: proxy", "Ngrok-Agent-Ips: 203.0.113.9", "X-Vercel-Forwarded-For: 203.0.113.9",
             "X-Amzn-Trace-Id: Root=1", "X-Forwarded-Ssl: on", "Client-IP: 127.0.0.1", "X-Client-IP: 127.0.0.1"]


@attack("tunnel-traffic")
def tunnel_traffic(scene):
    """What a tunnel brings to loopback is remote, whatever it says of its origin."""
    for line in FORWARDED:
        headers = [tuple(line.split(": ", 1)) if ": " in line else (line[:-1], "")]
        scene.refused(scene.ask("GET", "/api/sessions", headers), (401,), ("unauthorized",), line)
        scene.refused(scene.ask("POST", "/api/sessions", headers, START), (401,), ("unauthorized",), line)


@attack("trusted-proxy-spoof", flags=("--trusted-proxy", "127.0.0.1"))
def trusted_proxy_spoof(scene):
    for value in ("127.0.0.1", "::1", "127.0.0.1, 127.0.0.1", "203.0.113.9, 127.0.0.1", "localhost", "unknown", ", ,"):
        headers = [("X-Forwarded-For", value)]
        scene.refused(scene.ask("POST", "/api/sessions", headers, START), (401,), ("unauthorized",), value)
    scene.refused(scene.ask("GET", "/api/sessions", [("X-Forwarded-For", "127.0.0.1")] * 2), (401,))


@attack("wrong-token", key=True)
def wrong_token(scene):
    right = token("start")
    digest = hashlib.sha256(right.encode()).hexdigest()
    wrong = ["", " ", right[:-1], right + "0", right.upper(), right[:-1] + "g", "rmd_", "rmd_" + digest, digest, "Bearer",
             "null", "undefined", "rmd_" + "0" * 64, KEY[:-1], KEY + "0", KEY.upper(), KEY + "," + KEY, "' OR 1=1 --",
             hashlib.sha256(KEY.encode()).hexdigest(), "x" * 8000]
    offers = [headers for text in wrong for headers in (
        [("X-Api-Key", text)], [("Authorization", "Bearer " + text)], [("Authorization", "Basic " + text)],
        [("X-Api-Key", text), ("Authorization", "Bearer " + right)])]
    for headers, reply in zip(offers, scene.ask_all([("POST", "/api/sessions", headers, START) for headers in offers])):
        scene.refused(reply, (401, 429), None, str(headers)[:120])
    for headers in ([("Cookie", "token=" + right)], [("Proxy-Authorization", "Bearer " + right)], [("Token", right)]):
        scene.refused(scene.ask("GET", "/api/sessions", headers), (401, 429))
    scene.refused(scene.ask("GET", "/api/sessions", host="localhost"), (401, 429))


@attack("guessing-keys", key=True)
def guessing_keys(scene):
    """Who guesses is slowed down: each guess takes its time, and of many at once few get a look."""
    guesses = [("GET", "/api/sessions", [("X-Api-Key", "guess-%064d" % number)]) for number in range(60)]
    replies = scene.ask_all(guesses, at_once=60)
    for reply in replies:
        scene.refused(reply, (401, 429))
    limited = [reply for reply in replies if reply.status == 429]
    scene.expect(limited, "60 guesses at once, and no 429")
    scene.expect(all("retry-after" in reply.headers for reply in limited), "429 without Retry-After")


@attack("revoked-token", key=True)
def revoked_token(scene):
    stream, slow = scene.connect(), scene.connect()
    with stream, slow:
        stream.sendall(request("GET", "/api/events", bearer("watch")))
        scene.expect(b" 200 " in stream.recv(65536), "the stream of a device that may watch")
        # Let in at its head, and still sending when the device is revoked.
        slow.sendall(request("GET", "/api/events", bearer("watch") + [("Content-Length", "1")]))
        time.sleep(0.3)
        owner = [("X-Api-Key", KEY)]
        revoked = scene.ask("DELETE", "/api/devices/000000000001", owner)
        scene.expect(revoked.status == 200, "DELETE /api/devices: %s" % revoked)
        before, begin = scene.settle(), time.monotonic()
        stream.settimeout(1.5)
        while stream.recv(65536):
            pass
        scene.expect(time.monotonic() - begin < 1.2, "the stream lived on for more than a second")
        scene.note("end of stream")
        slow.sendall(b"x")
        scene.refused(slow.recv(65536), (401,), ("unauthorized",), "a stream begun before the revocation")
    for method, path, body in (("GET", "/api/sessions", ""), ("POST", "/api/sessions", START),
                               ("POST", "/api/stream-tickets", "{}"), ("GET", "/api/device", "")):
        scene.refused(scene.ask(method, path, bearer("watch"), body), (401,), ("unauthorized",), path)
    scene.server.kill()
    scene.server.start()
    scene.refused(scene.ask("GET", "/api/sessions", bearer("watch")), (401,), ("unauthorized",), "after a restart")
    return before


@attack("token-of-another-device", key=True, run=True)
def token_of_another_device(scene):
    """Each scope tries what is beyond it, and what belongs to other devices."""
    path = "/api/sessions/%s" % scene.run.id
    beyond = {"start": [("DELETE", "/api/devices/000000000001", ""), ("GET", "/api/devices", ""), ("DELETE", path, ""),
                        ("POST", "/api/sessions", START), ("POST", path + "/stop", ""), ("POST", "/api/runner/stop", "{}"),
                        ("POST", "/api/config/import", '{"content":"a: 1"}'), ("POST", "/api/loops", '{"prompt":"x"}'),
                        ("POST", "/api/loops/x/merge", ""), ("POST", "/api/loops/x/discard", ""), ("GET", "/api/audit", "")],
              "steer": [("POST", path + "/pause", ""), ("POST", path + "/resume", ""),
                        ("POST", path + "/steer", '{"message":"x"}'), ("POST", path + "/emit", '{"topic":"a.b"}'),
                        ("PUT", "/api/memories", '{"content":"x"}'), ("POST", "/api/tasks", '{"title":"x"}')],
              "answer": [("POST", "/api/robot/response", '{"question_id":"x","response_text":"x"}'),
                         ("POST", "/api/robot/guidance", '{"session_id":"%s","guidance_text":"x"}' % scene.run.id)]}
    order = ["watch", "answer", "steer", "start"]
    for scope in ("watch", "answer", "steer", "other"):
        rank = order.index("watch" if scope == "other" else scope)
        for needed in order[rank + 1:]:
            for method, target, body in beyond[needed]:
                reply = scene.ask(method, target, bearer(scope), body)
                scene.refused(reply, (403,), ("insufficient_scope",), "%s %s by %s" % (method, target, scope))
    reply = scene.ask("GET", "/api/device", bearer("other"))
    scene.expect(reply.json()["id"] == "000000000009", "another device was shown: %s" % reply.body)


@attack("client-declared-scopes", key=True)
def client_declared_scopes(scene):
    for headers in ([("X-Scope", "start")], [("X-Ralph-Scope", "start")], [("Scope", "start")], [("X-Role", "admin")],
                    [("X-HTTP-Method-Override", "GET")], [("X-Original-URL", "/health")], [("X-Rewrite-URL", "/health")],
                    [("Cookie", "scope=start; ralph_client=%032d" % 1)], [("X-Forwarded-User", "root")]):
        scene.refused(scene.ask("POST", "/api/sessions", bearer("watch") + headers, START), (403,),
                      ("insufficient_scope",), str(headers))
    for target in ("/api/sessions?scope=start", "/api/sessions?scopes[]=start", "/api/sessions?api_key=" + KEY,
                   "/api/sessions?ticket=x"):
        scene.refused(scene.ask("POST", target, bearer("watch"), START), (403,), ("insufficient_scope",), target)
    body = json.dumps({"working_dir": "victim", "prompt": "x", "scope": "start", "scopes": ["start"], "caller": "local"})
    scene.refused(scene.ask("POST", "/api/sessions", bearer("steer"), body), (403,), ("insufficient_scope",))
    for method, headers in (("GET", [("X-HTTP-Method-Override", "DELETE")]), ("HEAD", [("X-Method", "DELETE")])):
        reply = scene.ask(method, "/api/devices/000000000009?_method=DELETE", bearer("watch") + headers)
        scene.expect(reply.status in (403, 404, 405), "%s with an override: %s" % (method, reply))
        scene.note(str(reply))


@attack("path-confusion", key=True)
def path_confusion(scene):
    """Other spellings of a path that the gate and the router could read differently."""
    spellings = ["/api//{0}", "//api/{0}", "/api/{0}/", "/api/./{0}", "/api/x/../{0}", "/API/{0}", "/api/{0};a=b", "/api/{0}#a",
                 "/api/{0}%20", "/api/{0}%00", "/api/{0}/.", "/%61pi/{0}", "/api%2f{0}", "/api/{0}%2f", "/api/{0}.json",
                 "/api/{0}\\", "\\api\\{0}", "http://127.0.0.1/api/{0}", "/api/{0}?", "api/{0}", "/api/{0}/x/..", "*"]
    for spelling in spellings:
        for method, name, body in (("GET", "devices", ""), ("DELETE", "devices/000000000009", ""), ("GET", "audit", ""),
                                   ("POST", "sessions", START), ("PUT", "sessions", START), ("PATCH", "sessions", START),
                                   ("POST", "config/import", '{"content":"a: 1"}'), ("HEAD", "devices", ""),
                                   ("POST", "%73essions", START), ("DELETE", "sessions/" + scene.id, "")):
            target = spelling.format(name)
            reply = scene.ask(method, target, bearer("watch"), body)
            scene.refused(reply, (400, 401, 403, 404, 405, 501), what="%s %s" % (method, target))
            reply = scene.ask(method, target, [], body)
            scene.refused(reply, (400, 401, 404, 405, 501), what="%s %s by a stranger" % (method, target))


@attack("key-in-query", key=True)
def key_in_query(scene):
    for name in ("api_key", "key", "token", "access_token", "x-api-key", "API_KEY"):
        for text in (KEY, token("start")):
            for method, path in (("GET", "/api/sessions"), ("GET", "/api/events"), ("POST", "/api/sessions")):
                reply = scene.ask(method, "%s?%s=%s" % (path, name, text), body=START if method == "POST" else "")
                scene.refused(reply, (401, 429), None, "?%s=" % name)


@attack("stream-ticket-reuse", key=True)
def stream_ticket_reuse(scene):
    owner = [("X-Api-Key", KEY)]

    def mint():
        return scene.ask("POST", "/api/stream-tickets", owner).json()["ticket"]

    once = mint()
    stream = Reply(scene.talk(request("GET", "/api/events?follow=false&ticket=" + once)))
    scene.expect(stream.status == 200, "a ticket did not open a stream: %s" % stream)
    for path in ("/api/events?ticket=", "/api/sessions/%s/events?ticket=" % scene.id):
        scene.refused(scene.ask("GET", path + once), (401,), ("unauthorized",), "a used ticket")
    for method, path in (("GET", "/api/sessions"), ("POST", "/api/sessions"), ("GET", "/api/devices"),
                         ("POST", "/api/sessions/%s/stop" % scene.id), ("POST", "/api/stream-tickets")):
        reply = scene.ask(method, path + "?ticket=" + mint(), body=START if method == "POST" else "")
        scene.refused(reply, (401,), ("unauthorized",), "%s %s with a ticket" % (method, path))
    for headers in ([("X-Api-Key", mint())], [("Authorization", "Bearer " + mint())]):
        scene.refused(scene.ask("GET", "/api/sessions", headers), (401,), ("unauthorized",), "a ticket as a key")
    for guess in ("", "0" * 64, mint()[:-1], mint().upper(), once, "%00", "a" * 4000):
        scene.refused(scene.ask("GET", "/api/events?ticket=" + guess), (401, 429), what="the ticket " + guess[:70])


@attack("stream-ticket-expired", key=True, slow=True)
def stream_ticket_expired(scene):
    ticket = scene.ask("POST", "/api/stream-tickets", [("X-Api-Key", KEY)]).json()["ticket"]
    time.sleep(31)
    scene.refused(scene.ask("GET", "/api/events?ticket=" + ticket), (401,), ("unauthorized",), "a ticket after 31 s")


@attack("secrets-in-logs", key=True, flags=("--log-level", "trace"))
def secrets_in_logs(scene):
    ticket = scene.ask("POST", "/api/stream-tickets", [("X-Api-Key", KEY)]).json()["ticket"]
    for headers in ([("X-Api-Key", KEY)], bearer("start"), [("X-Api-Key", KEY + "x")]):
        for target in ("/api/sessions", "/api/nothing", "/api/sessions?api_key=" + KEY, "/api/events?ticket=x" + ticket,
                       "/api/sessions/%s/events?x=%s" % (KEY, KEY)):
            reply = scene.ask("GET", target, headers)
            scene.expect(KEY.encode() not in reply.body or target.find(KEY) >= 0, "an answer has the key")
    scene.refused(scene.ask("GET", "/api/sessions", [("X-Api-Key", "secret-guess-%s" % KEY)]), (401, 429))
    names = [scene.server.log_path] + [os.path.join(scene.place, "state", name) for name in ("audit.jsonl", "devices.json")]
    for path in filter(os.path.exists, names):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for secret in (KEY, token("start"), ticket):
            scene.expect(secret not in text, "%s holds a secret" % os.path.basename(path))
    scene.note("no secret in log, audit or devices")
