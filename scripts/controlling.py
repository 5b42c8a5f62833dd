"""What the control tests share: workspaces whose runs are real processes, the process table, and a client that watches.

Standard library only. A run is that of `ralph-stand-in`, or of the real ralph if RALPH_BIN names one; its agent is
always the stand-in's scripted one.
"""
import asyncio
import json
import os
import signal
import subprocess
import threading
import time

import blackbox
from blackbox import Violation

AGENT = os.path.join(blackbox.PROJECT, ".build/release/ralph-stand-in")

CONFIG = """\
event_loop:
  prompt_file: PROMPT.md
  max_iterations: {iterations}
  starting_event: work.start
cli:
  backend: custom
  command: {agent}
  args: [agent, --steps, {steps}]
memories: {{enabled: false}}
tasks: {{enabled: false}}
RObot: {{enabled: {robot}, mode: web, timeout_seconds: 300}}
hats:
  planner: {{name: Planner, triggers: [work.start, build.done], publishes: [build.task, LOOP_COMPLETE], instructions: Plan.}}
  builder: {{name: Builder, triggers: [build.task], publishes: [build.done, LOOP_COMPLETE], instructions: Build.}}
"""

STEPS = """\
iteration {number}:
  say working
  log-prompt {workspace}/prompts.log
  wait {milliseconds}
  {before}
  emit {topic} iteration {number}
"""


def use_stand_in_beside(binary):
    """The stand-in is built with the server."""
    global AGENT
    AGENT = os.path.join(os.path.dirname(os.path.abspath(binary)), "ralph-stand-in")
    if not os.access(AGENT, os.X_OK):
        raise SystemExit("%s is not there; scripts/build makes it" % AGENT)


def ralph():
    return os.environ.get("RALPH_BIN") or AGENT


class Run:
    """A workspace whose agent works for some milliseconds in each iteration, as planner and builder in turn.

    `questions`: what the agent asks in which iteration. `length`: in which iteration it completes its work.
    """

    def __init__(self, root, name, iterations=1000, milliseconds=100, questions=None, robot=False, length=None):
        self.path = os.path.join(os.path.realpath(root), name)
        os.makedirs(self.path)
        self.id = blackbox.session_id(self.path)
        self.ralph = os.path.join(self.path, ".ralph")
        self.prompts = os.path.join(self.path, "prompts.log")
        steps_path = os.path.join(self.path, "agent.steps")
        self.write("agent.steps", "".join(
            STEPS.format(
                number=number, workspace=self.path, milliseconds=milliseconds,
                before="ask " + questions[number] if number in (questions or {}) else "say done",
                topic="LOOP_COMPLETE" if number == length else "build.task" if number % 2 else "build.done")
            for number in range(1, (length or iterations) + 1)))
        self.write("ralph.yml", CONFIG.format(
            iterations=iterations, agent=AGENT, steps=steps_path, robot="true" if robot else "false"))
        self.write("PROMPT.md", "Work on %s.\n" % name)

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(text)

    def has(self, name):
        return os.path.exists(os.path.join(self.ralph, name))

    def read(self, name):
        try:
            with open(os.path.join(self.path, name)) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def start_by_hand(self, *arguments):
        """Runs ralph as a person in a terminal would, without the server."""
        log = open(os.path.join(self.path, "by-hand.log"), "ab")
        with log:
            return subprocess.Popen(
                (ralph(), "run", *arguments), cwd=self.path, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, env={k: v for k, v in os.environ.items() if not k.startswith("RALPH_")})

    def processes(self):
        """All living processes that work in or for this workspace, the server apart, by pid: their command lines."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                with open("/proc/%s/stat" % entry) as file:
                    if file.read().rsplit(")", 1)[1].split()[0] in "ZX":
                        continue
                with open("/proc/%s/environ" % entry, "rb") as file:
                    environment = file.read()
                with open("/proc/%s/cmdline" % entry, "rb") as file:
                    command = file.read()
                directory = os.readlink("/proc/%s/cwd" % entry)
            except (OSError, IndexError):
                continue
            # By its name alone: a clone may be called as the server is.
            if os.path.basename(command.split(b"\0")[0]) == b"ralph-mobile-server":
                continue
            inside = directory == self.path or directory.startswith(self.path + "/")
            if inside or self.path.encode() in environment or self.path.encode() in command:
                found[int(entry)] = command.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def is_locked(self):
        """Whether `loop.lock` is held, as the kernel says."""
        try:
            inode = ":%d " % os.stat(os.path.join(self.ralph, "loop.lock")).st_ino
        except FileNotFoundError:
            return False
        with open("/proc/locks") as file:
            return any(inode in line and "FLOCK" in line and "->" not in line for line in file)

    def leftovers(self):
        names = ("stop-requested", "pause-requested", "resume-requested", "urgent-steer.json")
        return [name for name in names if self.has(name)]

    def kill(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Watcher(threading.Thread):
    """A client that follows one session, comes back with its cursor, and checks that numbers have no hole."""

    def __init__(self, server, session):
        super().__init__(daemon=True)
        self.server, self.session, self.path = server, session, "/api/sessions/%s/events" % session
        self.events, self.changed = [], threading.Condition()
        self.failure, self.ended = None, False

    def run(self):
        while not self.ended:
            try:
                asyncio.run(self.follow())
            except (OSError, EOFError, blackbox.Refused):
                time.sleep(0.02)  # the server is away, or knows nothing of the session yet
            except Violation as violation:
                with self.changed:
                    self.failure = violation
                    self.changed.notify_all()
                return

    async def follow(self):
        cursor = self.events[-1]["seq"] if self.events else None
        path = self.path if cursor else self.path + "?after_seq=0"
        async with blackbox.event_stream(self.server.port, path, cursor) as stream:
            # A stream that is open says something every few seconds; a deadline that passes is an OSError.
            while frame := await asyncio.wait_for(anext(stream, None), 30):
                if self.ended:
                    return
                if any(comment.startswith("gap") for comment in frame.comments):
                    raise Violation("%s: %s" % (self.session, frame.comments))
                if frame.data is not None:
                    self.take(json.loads(frame.data))

    def take(self, event):
        with self.changed:
            if event["seq"] != len(self.events) + 1:
                raise Violation("%s: event %d came after %d" % (self.session, event["seq"], len(self.events)))
            self.events.append(event)
            self.changed.notify_all()

    def wait_for(self, topic, seconds=20, after=0, where=lambda event: True):
        """The first event of `topic` behind number `after`, as soon as it is there."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                if self.failure:
                    raise self.failure
                for event in self.events[after:]:
                    if event["topic"] == topic and where(event):
                        return event
                if not self.changed.wait(max(0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    seen = [event["topic"] for event in self.events[max(after, len(self.events) - 12):]]
                    raise Violation("%s: no %s behind %d in %g s; newest: %s" % (
                        self.session, topic, after, seconds, seen))

    def head(self):
        with self.changed:
            return len(self.events)

    def between(self, first, last, topic):
        with self.changed:
            return [event for event in self.events[first:last] if event["topic"] == topic]

    def end(self):
        self.ended = True
        if self.failure:
            raise self.failure
