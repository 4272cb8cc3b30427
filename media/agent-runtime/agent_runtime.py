"""Rollcall's runtime for session agents in Python 3.9+; one file, standard library only.

    agent = connect_to_watchdog("developer", ".claude/session")
    agent.enter_agent_loop(handle)      # handle(message, agent); a message is a dict with type, payload, id, ...

A message counts as handled when its handler has returned, or has left with SystemExit 0 or 42. One that was begun and not
handled comes again, with "redelivered", when the supervisor has started the agent again. A send returns the message's id
once the message is safe with the supervisor, and raises AgentError where it never will be.
This file may be replaced by `rollcall agent install python`.
"""

import asyncio
import atexit
import concurrent.futures
import json
import os
import queue
import re
import secrets
import sys
import threading
import time
from datetime import datetime, timezone

__all__ = ["Agent", "AgentError", "connect_to_watchdog", "start_agent_loop"]

_RECONNECT_SECONDS = 30
_ACCEPT_SECONDS = 60
_LONGEST_LINE = 2 * 1024 * 1024


class AgentError(Exception):
    """The supervisor is not there, or will not have this agent or message. The text ends in what to do."""


def connect_to_watchdog(agent_name=None, session_dir=".claude/session", timeout=31.0):
    """Connects to the supervisor and reports ready. Raises AgentError when nobody answered within `timeout` seconds."""
    started_as = os.environ.get("ROLLCALL_AGENT")
    name = agent_name or started_as or ""
    if not re.fullmatch("[a-z][a-z0-9-]{0,63}", name):
        raise AgentError(f"'{name}' is no agent name. Use small letters, digits and '-'.")
    if started_as and started_as != name:
        raise AgentError(f"This process was started as the agent '{started_as}', not '{name}'. Give agent_name that name.")
    return Agent(name, os.path.abspath(session_dir.replace("\\", "/")), timeout)


def start_agent_loop(handler, agent_name=None, session_dir=".claude/session"):
    """Connects and enters the loop, but leaves with 0 once a handler has completed, blocked or abandoned its task or asked
    something: the agent that does one thing per process."""
    agent = connect_to_watchdog(agent_name, session_dir)
    agent._run(handler, {"WorkComplete", "WorkBlocked", "WorkAbandoned", "Query"})


class Agent:
    """A connected agent; made by connect_to_watchdog. For use from one thread."""

    def __init__(self, name, session_dir, timeout):
        self.name = name
        self.session_dir = session_dir
        private = os.environ.get("ROLLCALL_ENDPOINT")
        self._private = private is not None
        self._run_id = secrets.token_hex(8)
        self._cursor = _Cursor(os.environ.get("ROLLCALL_CURSOR"))
        self._waiting = []
        # Every message that this process got, by its number: whether it was handled.
        self._handled = {}
        self._pulled = None
        self._sent_types = set()
        self._link = _Link(name, private or _compatible_endpoint(name), self._greeting, self._private)
        self._link.open(timeout)
        if self._private:
            self.send_agent_status("ready")

    # ---- What agents call ----

    def enter_agent_loop(self, handler):
        """Calls handler(message, agent) with one message after the other. Leaves with 42 at a shutdown (SystemExit)."""
        self._run(handler, frozenset())

    def receive_message(self, timeout=None):
        """The next message, for those who want no loop, or None after `timeout` seconds. It counts as handled when the next
        one is asked for, or something other than a status was sent."""
        self._finish_pulled()
        self._pulled = self._begin(timeout)
        return self._pulled

    def send_message(self, to, type, payload=None, in_reply_to=None):
        message = self._envelope(to, type, payload or {}, in_reply_to)
        self._link.send(message)
        self._sent_types.add(type)
        if type != "AgentStatus":
            self._finish_pulled()
        return message["id"]

    def send_work_complete(self, task_id, result="success", notes=""):
        return self.send_message("pm", "WorkComplete", {"taskId": task_id, "result": result, "notes": notes})

    def send_work_blocked(self, task_id, reason=""):
        return self.send_message("pm", "WorkBlocked", {"taskId": task_id, "reason": reason})

    def send_problem_report(self, description, task_id="", problem_type="bug", severity="medium"):
        """problem_type: bug, quality_concern, blocker. severity: low, medium, high, critical."""
        payload = {"taskId": task_id, "problemType": problem_type, "description": description, "severity": severity}
        return self.send_message("pm", "ProblemReport", payload)

    def send_agent_status(self, status, current_task=None, notes=None):
        said = {"status": status, "currentTask": current_task, "notes": notes}
        return self.send_message("watchdog", "AgentStatus", {key: text for key, text in said.items() if text is not None})

    # ---- Messages ----

    def _run(self, handler, last_types):
        while True:
            message = self._begin(None)
            try:
                handler(message, self)
            except SystemExit as leaving:
                # It has handled its message, unless it says that it failed.
                if leaving.code in (None, 0, 42):
                    self._finish(message)
                raise
            self._finish_pulled()
            self._finish(message)
            if _is_shutdown(message):
                sys.exit(42)
            if not last_types.isdisjoint(self._sent_types):
                sys.exit(0)

    def _begin(self, timeout):
        message = self._next(timeout)
        if message is not None:
            self._sent_types = set()
            # On the disk before anybody acts on it.
            self._cursor.advance(self._number_of(message))
        return message

    def _next(self, timeout):
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            # All that is there, so that a shutdown overtakes what waits: that is for the next process.
            while not self._waiting or not self._link.mail.empty():
                # In slices, so that Ctrl-C is heard on every system.
                left = 1.0 if end is None else min(1.0, end - time.monotonic())
                try:
                    message = self._link.mail.get(timeout=max(left, 0.001))
                except queue.Empty:
                    if left <= 0:
                        return None
                    continue
                if isinstance(message, AgentError):
                    raise message
                self._receive(message)
            return self._waiting.pop(0)

    def _receive(self, message):
        number = self._number_of(message)
        if number and number in self._handled:
            if self._handled[number]:
                # It came again over a new connection: only what we said about it can have been lost.
                self._link.acknowledge(number)
            return
        if number:
            self._handled[number] = False
        self._waiting.insert(0 if _is_shutdown(message) else len(self._waiting), message)

    def _finish_pulled(self):
        message, self._pulled = self._pulled, None
        if message is not None:
            self._finish(message)

    def _finish(self, message):
        number = self._number_of(message)
        if number:
            self._handled[number] = True
            self._link.acknowledge(number)

    def _number_of(self, message):
        """0 for what nobody waits to have acknowledged."""
        return message.get("seq", 0) if self._private else 0

    def _greeting(self):
        if not self._private:
            return self._envelope("watchdog", "AgentStatus", {"status": "ready"}, None)
        token = os.environ.get("ROLLCALL_TOKEN", "")
        return {"hello": 1, "token": token, "run": self._run_id, "cursor": self._cursor.value}

    def _envelope(self, to, type, payload, in_reply_to):
        now = datetime.now(timezone.utc)
        message = {
            "id": f"msg-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(8)}",
            "type": type,
            "from": self.name,
            "to": to,
            "timestamp": f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z",
            "payload": payload,
        }
        return message if in_reply_to is None else {**message, "inReplyTo": in_reply_to}


def _is_shutdown(message):
    return str(message["type"]).lower() == "system" and (message.get("payload") or {}).get("systemEvent") == "shutdown"


def _compatible_endpoint(name):
    if sys.platform == "win32":
        return rf"\\.\pipe\ralph-{name}-main"
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"CoreFxPipe_ralph-{name}-main")


class _Cursor:
    """The number of the newest message that this agent ever began; survives the process where it has a file."""

    def __init__(self, path):
        self._path = path
        self.value = 0
        if path is not None:
            try:
                with open(path, encoding="ascii") as file:
                    self.value = int(file.read())
            except (OSError, ValueError):
                pass  # No file yet: no message was ever begun.

    def advance(self, number):
        if number <= self.value:
            return
        self.value = number
        if self._path is not None:
            # In place and never cut: the number only grows, so no crash leaves less than a number.
            file = os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600)
            os.write(file, str(number).encode("ascii"))
            os.close(file)


class _Link:
    """The connection to the keeper, in a thread of its own so that it lives while a handler works. Comes back by itself,
    and sends again whatever was not accepted."""

    def __init__(self, agent, endpoint, greeting, confirms):
        self._agent = agent
        self._endpoint = endpoint
        self._greeting = greeting
        self._confirms = confirms
        self._loop = asyncio.new_event_loop()
        self._writer = None
        self._end = None
        self._sent = 0
        # Lines that are not safe yet, by number, each with the future of its sender.
        self._outbox = {}
        self._opened = concurrent.futures.Future()
        self._stopped = threading.Event()
        # Messages; or the AgentError behind which none will come.
        self.mail = queue.Queue()

    # ---- Called by the agent's thread ----

    def open(self, timeout):
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._serving = asyncio.run_coroutine_threadsafe(self._serve(timeout), self._loop)
        atexit.register(self._close)
        self._opened.result()

    def _close(self):
        """Without it Python complains, at the exit, of a task that was not done."""
        self._serving.cancel()
        self._stopped.wait(1)

    def send(self, message):
        """Returns once the message is safe."""
        self._sent += 1
        line = _line_of({**message, "n": self._sent} if self._confirms else message)
        accepted = concurrent.futures.Future()
        asyncio.run_coroutine_threadsafe(self._post(self._sent, line, accepted), self._loop)
        try:
            accepted.result(_ACCEPT_SECONDS)
        except concurrent.futures.TimeoutError:
            text = "The supervisor has not taken the message for a minute. Look at: rollcall status"
            raise AgentError(text) from None

    def acknowledge(self, number):
        """Returns once it was written. Where the connection is gone the message comes again over the next one."""
        if self._confirms:
            asyncio.run_coroutine_threadsafe(self._write(_line_of({"ack": number})), self._loop).result()

    # ---- Called by the connection's thread ----

    async def _serve(self, timeout):
        try:
            while True:
                reader, self._writer = await self._connect(timeout)
                lines = [_line_of(self._greeting()), *(line for line, _ in self._outbox.values())]
                await self._write(b"".join(lines))
                self._settle_written()
                if not self._opened.done():
                    self._opened.set_result(None)
                await self._read(reader)
                self._writer.close()
                self._writer = None
                timeout = _RECONNECT_SECONDS
        except AgentError as error:
            self._finish(error)
        finally:
            if self._writer is not None:
                self._writer.close()
            self._stopped.set()

    async def _connect(self, timeout):
        end = time.monotonic() + timeout
        while True:
            try:
                if sys.platform != "win32":
                    return await asyncio.open_unix_connection(self._endpoint, limit=_LONGEST_LINE)
                reader = asyncio.StreamReader(limit=_LONGEST_LINE)
                protocol = asyncio.StreamReaderProtocol(reader)
                transport, _ = await self._loop.create_pipe_connection(lambda: protocol, self._endpoint)
                return reader, asyncio.StreamWriter(transport, protocol, reader, self._loop)
            except OSError as error:
                if time.monotonic() >= end:
                    advice = f"Start it with: rollcall agent start {self._agent}"
                    raise AgentError(f"Nobody answers for the agent '{self._agent}' ({error}). {advice}") from None
            await asyncio.sleep(0.2)

    async def _read(self, reader):
        try:
            while line := await reader.readline():
                self._take(line)
        except (OSError, ValueError):
            return  # Broken off, or a line without end: either way only a new connection helps.

    def _take(self, line):
        try:
            said = json.loads(line)
        except ValueError:
            return  # A line of rubbish must not end an agent.
        if not isinstance(said, dict):
            return
        if said.get("type"):
            self.mail.put(said)
        elif "accepted" in said:
            self._settle(said["accepted"], None)
        elif said.get("refused") == 0:
            raise AgentError(f"The supervisor refused this agent: {said.get('reason')}")
        elif "refused" in said:
            self._settle(said["refused"], AgentError(f"The message was refused: {said.get('reason')}"))

    async def _post(self, number, line, accepted):
        if self._end is not None:
            accepted.set_exception(self._end)
            return
        self._outbox[number] = (line, accepted)
        if await self._write(line):
            self._settle_written()

    async def _write(self, line):
        """False where the connection is gone; the reader finds that too."""
        if self._writer is None:
            return False
        self._writer.write(line)
        try:
            # Who confirms tells that way when to go on.
            if not self._confirms:
                await self._writer.drain()
        except OSError:
            return False
        return True

    def _settle_written(self):
        """Who confirms nothing has it when the system has it."""
        if not self._confirms:
            for number in list(self._outbox):
                self._settle(number, None)

    def _settle(self, number, error):
        _, accepted = self._outbox.pop(number, (None, None))
        if accepted is not None and error is None:
            accepted.set_result(None)
        elif accepted is not None:
            accepted.set_exception(error)

    def _finish(self, error):
        self._end = error
        for number in list(self._outbox):
            self._settle(number, error)
        if self._opened.done():
            self.mail.put(error)
        else:
            self._opened.set_exception(error)


def _line_of(message):
    """Dates and other things are sent as their text."""
    return json.dumps(message, separators=(",", ":"), default=str).encode("ascii") + b"\n"
