"""Attacks on pairing: a ticket lets one device in, once, for three minutes."""
import concurrent.futures
import json
import re
import time

from attacks.credentials import bearer
from attacks.scene import KEY, attack

OWNER = [("X-Api-Key", KEY)]
REFUSED = (400, 401, 403, 404, 409, 410, 422, 429)


def mint(scene, scope="watch"):
    """A ticket, and all of the answer in which it came, as it is in the QR code."""
    reply = scene.ask("POST", "/api/pairing/tickets", OWNER, json.dumps({"scope": scope}))
    scene.expect(reply.status in (200, 201), "POST /api/pairing/tickets was answered %s" % reply)
    return reply.json()["ticket"], reply.body.decode()


def redeem(scene, ticket, headers=(), **more):
    return scene.ask("POST", "/api/pairing/redeem", headers, json.dumps({"ticket": ticket, "name": "intruder", **more}))


@attack("pairing-ticket-by-stranger", key=True)
def ticket_by_stranger(scene):
    for headers in ([], bearer("watch"), bearer("answer"), bearer("steer"), [("X-Api-Key", "wrong")],
                    [("X-Forwarded-For", "127.0.0.1")]):
        for body in ("{}", '{"scope":"start"}', '{"scopes":["start"]}'):
            scene.refused(scene.ask("POST", "/api/pairing/tickets", headers, body), (401, 403), what=str(headers))
        scene.refused(scene.ask("GET", "/pair", headers + [("X-Forwarded-For", "203.0.113.9")]), (401, 403), what="/pair")


@attack("pairing-ticket-guess", key=True)
def ticket_guess(scene):
    """Five tries per peer, with a ticket there that could be found."""
    ticket, _ = mint(scene)
    flipped = ticket[:-1] + ("0" if ticket[-1] != "0" else "1")
    guesses = ["", "0", ticket[:-1], flipped, ticket.swapcase() + "x", "a" * 26, "*", "%", "null", "../x"]
    limited = False
    for number in range(40):
        reply = redeem(scene, guesses[number % len(guesses)])
        scene.refused(reply, REFUSED, what="a guessed ticket")
        limited = limited or reply.status == 429
    scene.expect(limited, "forty guesses from one peer, and no 429")
    # The right one is not for who has guessed too often.
    scene.refused(redeem(scene, ticket), (429,), what="the right ticket after forty guesses")


@attack("pairing-ticket-types", key=True)
def ticket_types(scene):
    mint(scene)
    for body in ('{"ticket":null}', '{"ticket":["x"]}', '{"ticket":{"$ne":""}}', "[]", "", '{"ticket":true}'):
        scene.refused(scene.ask("POST", "/api/pairing/redeem", body=body), REFUSED, what=body)


def used(scene):
    """Pairs a device, and gives its ticket, the QR code's text, and what is there afterwards."""
    ticket, answer = mint(scene)
    reply = redeem(scene, ticket)
    scene.expect(reply.status in (200, 201), "a ticket was not redeemed: %s" % reply)
    scene.expect(reply.json()["token"] != ticket, "the ticket is the token")
    return ticket, answer, scene.settle()


@attack("pairing-ticket-replay", key=True)
def ticket_replay(scene):
    ticket, _, before = used(scene)
    for _ in range(3):
        scene.refused(redeem(scene, ticket), REFUSED, what="a used ticket")
    scene.refused(redeem(scene, ticket, OWNER), REFUSED, what="a used ticket of the owner")
    return before


@attack("qr-photographed-after-use", key=True)
def qr_photographed(scene):
    """Whoever photographs the screen afterwards has the code's text, every part of it."""
    ticket, answer, before = used(scene)
    found = {ticket} | set(re.findall(r"[?&]t=([^&\"\\]+)", answer)) | set(re.findall(r'"(?:code|typed)":"([^"]+)"', answer))
    for text in sorted(found):
        scene.refused(redeem(scene, text), REFUSED, what="a used code")
        scene.refused(scene.ask("GET", "/api/sessions", [("X-Api-Key", text)]), (401, 429), what="a used code as a key")
        scene.refused(scene.ask("GET", "/api/events?ticket=" + text), (401, 429), what="a used code for a stream")
    return before


@attack("pairing-scope-raised", key=True)
def scope_raised(scene):
    """The redeeming device names a scope of its own; it gets the ticket's."""
    ticket, _ = mint(scene, "watch")
    reply = redeem(scene, ticket, scope="start", scopes=["start"])
    if reply.status in (200, 201):
        held = [("Authorization", "Bearer " + reply.json()["token"])]
        before = scene.settle()
        start = '{"working_dir":"victim","prompt":"x"}'
        scene.refused(scene.ask("POST", "/api/sessions", held, start), (403,), ("insufficient_scope",), "a raised scope")
        return before
    scene.refused(reply, (400, 403, 422))
    return None


@attack("pairing-ticket-race", key=True)
def ticket_race(scene):
    """Twenty redeem one ticket at once; one device is paired."""
    ticket, _ = mint(scene)
    devices = len(scene.devices())
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: redeem(scene, ticket), range(20)))
    won = [reply for reply in replies if reply.status in (200, 201)]
    scene.expect(len(won) <= 1, "%d devices were paired with one ticket" % len(won))
    for reply in replies:
        if reply not in won:
            scene.refused(reply, REFUSED, what="a ticket in a race")
    scene.expect(len(scene.devices()) == devices + len(won), "devices: %s" % scene.devices())
    return scene.settle()


@attack("pairing-ticket-expired", key=True, slow=True)
def ticket_expired(scene):
    ticket, _ = mint(scene)
    time.sleep(181)
    scene.refused(redeem(scene, ticket), REFUSED, what="a ticket after three minutes")
