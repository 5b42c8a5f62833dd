"""Attacks by a web page that somebody has open on the machine of the server."""
import json

from attacks.scene import KEY, Reply, attack, request

EVIL = "https://evil.example"
READ = ("/", "/api/sessions", "/api/health", "/api/configs", "/api/prompts", "/metrics", "/openapi.json")
# What a browser sends of its own accord with a request that a page of another site made.
FETCH = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty")]


@attack("cors-wildcard")
def cors_wildcard(scene):
    for path in READ + ("/api/sessions/%s/events" % scene.id,):
        scene.refused(scene.ask("GET", path, [("Origin", EVIL)] + FETCH), (403,), ("forbidden_origin",), path)
        if path.endswith("/events"):
            continue
        # A browser that says nothing of itself gets an answer, which its page may not read.
        for origin in (EVIL, "null", "http://localhost.evil.example", "http://127.0.0.1.nip.io"):
            reply = scene.ask("GET", path, [("Origin", origin)])
            scene.expect("access-control-allow-origin" not in reply.headers, "%s may read %s" % (origin, path))
            scene.expect("access-control-allow-credentials" not in reply.headers, "credentials at %s" % path)
            scene.note("no Access-Control-Allow-Origin")


@attack("cors-preflight")
def cors_preflight(scene):
    for path in ("/api/sessions", "/api/config/import", "/api/sessions/%s/stop" % scene.id, "/api/pairing/tickets"):
        for more in ([], [("Access-Control-Request-Private-Network", "true")]):
            reply = scene.ask("OPTIONS", path, [
                ("Origin", EVIL), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "content-type, x-api-key")] + more + FETCH)
            allowed = [name for name in reply.headers if name.startswith("access-control-")]
            scene.expect(not allowed, "a preflight of another site got %s" % allowed)
            scene.note("no Access-Control-Allow-Origin")


@attack("cross-site-embedding")
def cross_site_embedding(scene):
    for mode, dest in (("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("navigate", "object")):
        for site in ("cross-site", "same-site"):
            for path in READ:
                headers = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest)]
                scene.refused(scene.ask("GET", path, headers), (403,), ("forbidden_origin",), "%s by %s" % (path, dest))


@attack("cross-site-websocket")
def cross_site_websocket(scene):
    upgrade = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
               ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]
    for path in ("/", "/api/events", "/api/sessions", "/ws", "/rpc", "/api/sessions/%s/events" % scene.id):
        for origin in (EVIL, "null", "http://evil.example:%d" % scene.server.port, "http://attacker.local"):
            scene.refused(scene.ask("GET", path, upgrade + [("Origin", origin)]), (403,), ("forbidden_origin",), path)


def simple_posts(scene, targets):
    """What a form, or `fetch` without a preflight, can send to `targets`: pairs of a path and an object."""
    types = ["text/plain", "application/x-www-form-urlencoded", "text/plain;charset=UTF-8",
             "multipart/form-data; boundary=x", None]
    pages = [[("Origin", EVIL)], [("Origin", "null")], [("Origin", EVIL)] + FETCH, FETCH,
             [("Origin", EVIL), ("Origin", "http://localhost")], [("Origin", "")],
             [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")],
             [("Origin", "http://localhost.evil.example")], [("Origin", "http://localhost@evil.example")]]
    for method, path, body in targets:
        text = json.dumps(body)
        for kind in types:
            # `<input name='{"a":"' value='"}'>` of a text/plain form leaves an `=` in a string.
            for content in (text, text[:-1] + ', "pad":"="}'):
                if kind and kind.startswith("multipart"):
                    content = "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n%s\r\n--x--\r\n" % content
                for page in pages:
                    headers = page + ([("Content-Type", kind)] if kind else [])
                    reply = scene.ask(method, path, headers, content)
                    scene.refused(reply, (403,), ("forbidden_origin",), "%s as %s from %s" % (path, kind, page))


@attack("cross-site-start")
def cross_site_start(scene):
    body = {"working_dir": "victim", "prompt": "rm -rf /"}
    simple_posts(scene, [("POST", "/api/sessions", body), ("POST", "/api/runner/start", body),
                         ("POST", "/api/loops", {"prompt": "x", "workspace": "victim"})])


@attack("cross-site-stop", run=True)
def cross_site_stop(scene):
    simple_posts(scene, [("POST", "/api/sessions/%s/stop?force=1" % scene.run.id, {}),
                         ("POST", "/api/runner/stop", {"session_id": scene.run.id}),
                         ("DELETE", "/api/sessions/" + scene.run.id, {})])


@attack("cross-site-import")
def cross_site_import(scene):
    content = "cli: {backend: custom, command: /bin/sh, args: [-c, 'touch %s/pwned']}\n" % scene.place
    simple_posts(scene, [("POST", "/api/config/import?workspace=" + scene.victim, {"content": content})])


@attack("cross-site-pairing")
def cross_site_pairing(scene):
    """A page that pairs a device of its own would hold a token for good."""
    simple_posts(scene, [("POST", "/api/pairing/tickets", {"scope": "start"}),
                         ("POST", "/api/stream-tickets", {})])


# Names that a page's own domain can have and that can be made to point at us, and spellings that may slip through.
FOREIGN = ["evil.example", "evil.example:{port}", "evil.example.", "evil.example.:{port}", "127.0.0.1.nip.io",
           "127.0.0.1.nip.io:{port}", "localhost.evil.example", "localtest.me", "127.0.0.1.evil.example", "2130706433",
           "0x7f000001", "0177.0.0.1", "127.1", "[::1].evil.example", "[::ffff:127.0.0.1.nip.io]", "[v1.evil]",
           "localhost@evil.example", "evil.example#localhost", "evil.example/localhost", "localhost:80@evil.example",
           "localhost:{port}:evil", "localhost evil.example", "localhost,evil.example", "", "local", "xlocalhost",
           "localhost\u3002evil.example", "[::1", "::1", "localhost%00.evil.example", "*"]


@attack("dns-rebinding")
def dns_rebinding(scene):
    for name in FOREIGN:
        name = name.format(port=scene.server.port)
        for method, path in (("GET", "/api/sessions"), ("POST", "/api/sessions"), ("GET", "/health")):
            body = "{}" if method == "POST" else ""
            scene.refused(scene.ask(method, path, body=body, host=name), (421, 400), what="Host: " + name)
    for host in (None, ["localhost", "evil.example"], ["evil.example", "localhost"], ["localhost", "localhost"]):
        scene.refused(scene.ask("GET", "/api/sessions", host=host), (400,), what="Host: %s" % host)


@attack("dns-rebinding-absolute-target")
def dns_rebinding_absolute_target(scene):
    for target in ("http://evil.example/api/sessions", "http://evil.example:%d/api/sessions" % scene.server.port,
                   "//evil.example/api/sessions", "https://evil.example/api/sessions"):
        for host in ("127.0.0.1", "evil.example"):
            scene.refused(scene.ask("GET", target, host=host), (400, 404, 421), what=target)
            body = json.dumps({"working_dir": "victim", "prompt": "x"})
            scene.refused(scene.ask("POST", target, body=body, host=host), (400, 404, 421), what=target)
    scene.refused(scene.talk(b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"), (400, 404, 421))


@attack("dns-rebinding-local-name")
def dns_rebinding_local_name(scene):
    """Any machine of the network can call itself `NAME.local` and answer with 127.0.0.1; so can names declared for a
    tunnel, and addresses that are not this machine's own, be brought to loopback."""
    for name in ("evil.local", "evil.local:%d" % scene.server.port, "EVIL.LOCAL.", "192.168.1.66", "6.6.6.6:8080",
                 "[fe80::66]", "0.0.0.0", "[::]", "[::ffff:6.6.6.6]"):
        for path in READ:
            page = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty")]
            scene.refused(scene.ask("GET", path, page, host=name), (401, 421), what="%s at %s" % (path, name))
        scene.refused(
            scene.ask("POST", "/api/sessions", [("Origin", "http://" + name)], '{"working_dir":"victim","prompt":"x"}',
                      host=name), (401, 403, 421), what="a start at " + name)


@attack("origin-equals-host")
def origin_equals_host(scene):
    """The page's origin is the name that it calls us by: no proof that it is ours."""
    body = json.dumps({"working_dir": "victim", "prompt": "x"})
    port = scene.server.port
    for name in ("evil.example", "evil.example:%d" % port, "attacker.local", "attacker.local:%d" % port,
                 "attacker.local.", "attacker.local.:%d" % port,
                 "127.0.0.1.nip.io:%d" % port, "localhost.evil.example"):
        for scheme in ("http", "https"):
            reply = scene.ask("POST", "/api/sessions", [("Origin", "%s://%s" % (scheme, name))], body, host=name)
            scene.refused(reply, (403, 421), what="a page of " + name)
    # With a Host of ours, and an origin that only looks like it.
    for origin in ("http://127.0.0.1.evil.example", "http://localhost.evil.example", "http://evil.example:%d" % port,
                   "http://127.0.0.1:%d.evil.example" % port, "http://localhost:%d@evil.example" % port, "file://",
                   "http://127.0.0.1:%d/" % port, "http://evil.example/127.0.0.1", "http://127.1", "HTTP://EVIL.EXAMPLE"):
        reply = scene.ask("POST", "/api/sessions", [("Origin", origin)], body, host="127.0.0.1:%d" % port)
        scene.refused(reply, (403,), ("forbidden_origin",), "a page of " + origin)


@attack("page-with-key", key=True)
def page_with_key(scene):
    """A key that a page got hold of is worth nothing in a page of another site."""
    headers = [("X-Api-Key", KEY), ("Origin", EVIL)] + FETCH
    scene.refused(scene.ask("GET", "/api/sessions", headers), (403,), ("forbidden_origin",))
    scene.refused(scene.ask("POST", "/api/sessions", headers, '{"working_dir":"victim","prompt":"x"}'), (403,))
    replies = scene.talk(request("POST", "/api/sessions", headers, "{}") * 3, to_end=True)
    scene.expect(replies.count(b"HTTP/1.1 ") == 1, "a refused connection went on: %r" % replies[:200])
    scene.refused(Reply(replies), (403,))
