#!/usr/bin/env python3
"""A parent in Python that uses only the standard library: sends one question after another to one session.

usage: parent.py QUESTION... [-- COMMAND...]        default COMMAND: turnhouse rpc
"""

import itertools
import json
import subprocess
import sys


class Child:
    VERSION = 1

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = itertools.count(1)
        ready = self.read()
        if ready["type"] != "ready" or ready["protocol_version"] != self.VERSION:
            raise SystemExit(f"this child speaks another protocol: {ready}")
        self.session_id = ready["session_id"]

    def write(self, frame):
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        if line == b"":
            raise SystemExit(f"the child ended with code {self.process.wait()}")
        return json.loads(line)

    def ask(self, command, on_event=lambda event: None, **fields):
        """Sends a command and returns its response; passes the events before it to on_event."""
        command_id = str(next(self.ids))
        self.write({"type": command, "id": command_id, **fields})
        while True:
            frame = self.read()
            if frame["type"] == "response" and frame["id"] == command_id:
                return frame
            if frame["type"] == "error" and frame.get("id") == command_id and command != "prompt":
                raise SystemExit(frame["message"])
            on_event(frame)

    def close(self):
        self.write({"type": "shutdown"})
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def show(frame):
    if frame["type"] == "message_update" and frame["event"]["type"] == "text_delta":
        print(frame["event"]["delta"], end="", flush=True)
    if frame["type"] == "message_update" and frame["event"]["type"] == "toolcall_start":
        print(f"[{frame['event']['tool_name']}] ", end="", flush=True)
    if frame["type"] == "agent_end":
        print()


def main(arguments):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    child = Child(arguments[cut + 1 :] or ["turnhouse", "rpc"])
    for question in arguments[:cut]:
        answer = child.ask("prompt", show, message=question)
        if not answer["ok"]:
            print(f"failed: {answer['error']}", file=sys.stderr)
    stats = child.ask("get_session_stats")
    print(f"{stats['message_count']} messages in session {child.session_id}", file=sys.stderr)
    return child.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
