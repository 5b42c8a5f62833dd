"""What schemathesis is told for this server; `fuzz-api` names this file to it.

Every exchange is written to the file that FUZZ_LOG names, one JSON object a line, so that `fuzz-api` can count and check
what was answered without trusting any of the checks.
"""
import itertools
import json
import os
import re
import threading

import schemathesis

LOG = open(os.environ["FUZZ_LOG"], "a", encoding="utf-8")
LOCK = threading.Lock()
COUNT = itertools.count()
# What docs/openapi.yaml says of the header.
TICKET = re.compile("[0-9a-f]{64}")
IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changes one valid value for another, so that requests get further.

    Streams have no end: `poll=1` gives them one. Most Idempotency-Keys are made different, else nearly all commands would be
    refused for a key that was used. Most purges are none, else soon no session would be left. A workspace and a session at
    once are refused, which no schema can say: of a valid workspace the session is left alone.
    """
    number = next(COUNT)
    for name, value in list((case.headers or {}).items()):
        if number % 4 and name.lower() == "idempotency-key" and IDEMPOTENCY_KEY.fullmatch(str(value)):
            case.headers[name] = "%s-%d" % (value[:200], number)
    if case.query:
        case.query = with_one_place(case.query)
    if number % 5 == 0 and not any(name.lower() == "accept" for name in case.headers or {}):
        # Who can read problem documents gets the same refusals in another form.
        case.headers = {**(case.headers or {}), "Accept": "application/problem+json, */*;q=0.9"}
    if number % 16 and isinstance(case.query, dict) and str(case.query.get("purge")).lower() in ("", "1", "true", "yes"):
        case.query["purge"] = "false"
    if number % 8 and isinstance(case.query, dict) and TICKET.fullmatch(str(case.query.get("ticket"))):
        # A ticket that nobody was given is refused before anything else is looked at.
        del case.query["ticket"]
    if case.operation.path.endswith(("/events", "/events.ndjson")):
        # Whatever was generated stays beside it.
        if isinstance(case.query, list):
            case.query.append(("poll", "1"))
        else:
            case.query = {**(case.query or {}), "poll": "1"}


def with_one_place(query):
    """Leaves a valid workspace out of a query that names a session too."""
    pairs = query if isinstance(query, list) else list(query.items())
    workspace = dict(pairs).get("workspace")
    if "session" not in dict(pairs) or not isinstance(workspace, str) or "\0" in workspace:
        return query
    kept = [(name, value) for name, value in pairs if name != "workspace"]
    return kept if isinstance(query, list) else dict(kept)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """DELETE of a session stops it; it stays listed with its record, so reading on is no use after free."""
    return not (type(failure).__name__ == "UseAfterFree" and case.operation.path.startswith("/api/sessions/"))


@schemathesis.hook
def after_call(context, case, response):
    line = json.dumps({
        "operation": case.operation.label, "method": response.request.method, "status": response.status_code,
        "path": response.request.path_url[:300], "body": (response.content or b"")[:300].decode("utf-8", "replace"),
        "sent": str(response.request.body or "")[:300]})
    with LOCK:
        LOG.write(line + "\n")
        LOG.flush()
