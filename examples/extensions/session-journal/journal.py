#!/usr/bin/env python3
"""Records sessions to a file, one JSON object per line.

It uses no library, to show the wire format: JSON-RPC on stdin and stdout, each message after `Content-Length: N` and a
blank line. It only observes: it answers every hook with `continue`.
"""

import json
import os
import sys
import time

MAX_TEXT = 200  # characters


def read_message(stream):
    """Returns the next message, or None when the host closed the pipe."""
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line.strip():
            name, _, value = line.decode("ascii").partition(":")
            if name.strip().lower() == "content-length":
                length = int(value)
        elif length is not None:  # the blank line between header and body
            body = stream.read(length)
            return json.loads(body) if len(body) == length else None


def write_message(stream, message):
    body = json.dumps(message).encode("ascii")
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def entry(event):
    """The fields of an event to record. Every event has all fields; unused ones are null."""
    kept = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "what": event["kind"]}
    for member in ("session_id", "tool_name", "tool_input", "tool_output", "message"):
        value = event.get(member)
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            kept[member] = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
    if event.get("transcript") is not None:
        kept["messages"] = len(event["transcript"])
    return kept


def append(path, line):
    """Opens the file for each line: several sessions may append to it, and each write is one whole line."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    finally:
        os.close(descriptor)


class UnknownMethod(Exception):
    """A method that this extension does not implement."""


class Journal:
    def __init__(self):
        self.path = None

    def answer(self, method, params):
        if method == "initialize":
            self.path = os.path.join(os.path.expanduser("~"), params["config"]["file"])
            return {"protocol_version": params["extension_protocol_version"], "capabilities": {}}
        if method == "hook.handle":
            append(self.path, entry(params))
            return {"action": "continue"}
        if method == "shutdown":
            return {"ok": True}
        raise UnknownMethod(f"unknown method {method}")


def main():
    journal = Journal()
    while (message := read_message(sys.stdin.buffer)) is not None:
        if "id" not in message:
            continue  # a notification has no response
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = journal.answer(message["method"], message.get("params"))
        except UnknownMethod as fault:
            answer["error"] = {"code": -32601, "message": str(fault)}
        except Exception as fault:  # one bad event must not end the journal
            print(repr(fault), file=sys.stderr)  # the host keeps it in the extension's log
            answer["error"] = {"code": -32000, "message": repr(fault)}
        write_message(sys.stdout.buffer, answer)
        if message["method"] == "shutdown":
            return


if __name__ == "__main__":
    main()
