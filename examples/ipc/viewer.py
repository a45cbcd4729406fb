#!/usr/bin/env python3
"""A viewer in Python that uses only the standard library and the messages of the protocol.

usage: viewer.py SOCKET [TEXT...]        sends each TEXT and prints the answers; without TEXT, watches
       viewer.py --list FOLDER           lists the agents of a folder

The token is in ID.token beside the socket. With it the viewer reattaches, without it attaches as a new viewer.
"""

import json
import os
import socket
import sys

VERSION = 2
LIMIT = 16 * 1024 * 1024


class Refused(Exception):
    """The agent refused the handshake."""


class Viewer:
    def __init__(self, path, token=None):
        self.socket = connect(path)
        self.lines = self.socket.makefile("rb")
        self.write({"version": VERSION, "is_reattach": token is not None, "session_id": None, "session_token": token})
        answer = self.read_line()
        if answer is None or not answer["accepted"]:
            raise Refused(answer["error"] if answer else "it closed the connection")
        self.session_id = answer["session_id"]
        self.token = answer.get("session_token") or token
        self.messages = []
        self.partial = ""
        self.is_busy = False
        self.greeting = []
        self.read_until("conversation_sync")

    def write(self, value):
        """One message, in one write."""
        self.socket.sendall(json.dumps(value).encode() + b"\n")

    def read_line(self):
        line = self.lines.readline(LIMIT)
        return json.loads(line) if line.strip() else None

    def read(self):
        """Returns the next message and updates the state of the viewer. None when the agent closed the connection."""
        message = self.read_line()
        if message is None:
            return None
        kind = message.get("type")
        self.greeting = [*self.greeting[-2:], kind]
        if self.greeting == ["conversation_sync", "task_update", "seal_status"]:
            self.partial = ""  # after a handshake the agent sends the text of a running turn from its beginning
        if kind == "conversation_sync":
            self.messages = message["messages"]
            self.is_busy = message["is_busy"]
            if not self.is_busy:
                self.partial = ""
        elif kind == "stream_chunk":
            self.partial += message["text"]
            self.is_busy = True
        elif kind == "stream_end":
            self.is_busy = False
        elif kind == "message_added":
            self.messages.append(message["message"])
            role = message["message"]["role"]
            if role == "assistant" or (role == "user" and not self.is_busy):
                self.partial = ""
            self.is_busy = self.is_busy or role == "user"
        return message  # other types do not change the state kept here

    def read_until(self, *kinds):
        while True:
            message = self.read()
            if message is None:
                raise EOFError("the agent closed the connection")
            if message.get("type") in kinds:
                return message

    def say(self, text, files=(), on_message=lambda message: None):
        """Sends a message and returns the answer. All viewers receive it; our turn begins with the echo of our message."""
        self.write({"type": "user_input", "content": text, "context_files": list(files)})
        is_ours, error = False, None
        while True:
            message = self.read()
            if message is None:
                raise EOFError("the agent closed the connection")
            kind = message.get("type")
            if kind == "message_added" and message["message"]["role"] == "user":
                is_ours = is_ours or message["message"]["content"].startswith(text)
            if not is_ours:
                continue
            on_message(message)
            if kind == "error":
                error = message["message"]
                self.write({"type": "sync_request"})  # some agents do not end a turn that failed
            if kind == "conversation_sync" and error and not message["is_busy"]:
                raise RuntimeError(error)
            if kind == "stream_end":
                if message.get("finish_reason") == "error":
                    raise RuntimeError(error or "the turn failed")
                return self.partial

    def close(self):
        """Waits for the acknowledgement: an agent can miss a disconnect that is followed by a close at once."""
        self.write({"type": "disconnect"})
        try:
            while True:
                message = self.read_until("ack", "exiting")
                if message["type"] == "exiting" or message["command"] == "disconnect":
                    break
        except (EOFError, OSError):
            pass
        self.socket.close()


def connect(path):
    """Connects. A path longer than a socket address allows is opened through its folder (Linux)."""
    connection = socket.socket(socket.AF_UNIX)
    folder = None
    try:
        if len(os.fsencode(path)) > 107:
            folder = os.open(os.path.dirname(path), os.O_RDONLY)
            path = f"/proc/self/fd/{folder}/{os.path.basename(path)}"
        connection.connect(path)
        return connection
    finally:
        if folder is not None:
            os.close(folder)


def token_beside(path):
    try:
        with open(path.removesuffix(".sock") + ".token", encoding="ascii") as file:
            return file.read().strip() or None
    except OSError:
        return None


def attach(path):
    """Attaches with the token of the file, and reads it again if the agent was restarted in between."""
    token = token_beside(path)
    try:
        return Viewer(path, token)
    except Refused as refusal:
        newer = token_beside(path)
        if str(refusal) != "Invalid session token" or newer == token:
            raise
        return Viewer(path, newer)


def agents_in(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".sock") and not name.endswith(".pty.sock"):
            try:
                with open(os.path.join(folder, name.removesuffix(".sock") + ".meta.json"), encoding="utf-8") as file:
                    yield json.load(file)
            except (OSError, ValueError):
                continue


def show(message):
    if message["type"] == "stream_chunk":
        print(message["text"], end="", flush=True)
    elif message["type"] == "tool_call_start":
        print(f"[{message['name']}] ", end="", flush=True)
    elif message["type"] == "stream_end":
        print(flush=True)


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--list":
        for agent in agents_in(arguments[1]):
            print(f"{agent['session_id']}  {agent['model']}  {'busy' if agent['is_busy'] else 'idle'}")
        return 0
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        viewer = attach(arguments[0])
    except (OSError, Refused) as fault:
        print(f"{arguments[0]}: {fault}", file=sys.stderr)
        return 4
    print(f"{len(viewer.messages)} messages in session {viewer.session_id}", file=sys.stderr)
    for text in arguments[1:]:
        try:
            viewer.say(text, on_message=show)
        except RuntimeError as fault:
            print(f"failed: {fault}", file=sys.stderr)
    if not arguments[1:]:
        while (message := viewer.read()) is not None:
            show(message)
    viewer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
