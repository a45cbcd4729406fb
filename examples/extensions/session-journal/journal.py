#!/usr/bin/env python3
"""A journal of sessions, one JSON object in each line of a file.

It uses no library, to show the wire: JSON-RPC on stdin and stdout, each message behind `Content-Length: N` and a blank
line. It only watches: every hook is answered with `continue`.
"""

import json
import os
import sys
import time

LONGEST = 200  # characters of a text that are kept


def read_message(stream):
    """The next message, or None when the host is gone."""
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line.strip():
            name, _, value = line.decode("ascii").partition(":")
            if name.strip().lower() == "content-length":
                length = int(value)
        elif length is not None:  # the blank line between head and body
            body = stream.read(length)
            return json.loads(body) if len(body) == length else None


def write_message(stream, message):
    body = json.dumps(message).encode("ascii")
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def entry(event):
    """What is worth keeping of an event. Every event has all members, null where they say nothing."""
    kept = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "what": event["kind"]}
    for member in ("session_id", "tool_name", "tool_input", "tool_output", "message"):
        value = event.get(member)
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            kept[member] = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    if event.get("transcript") is not None:
        kept["messages"] = len(event["transcript"])
    return kept


def append(path, line):
    """Opened each time: several sessions may write to the same file, and each line goes out whole."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    finally:
        os.close(descriptor)


class UnknownMethod(Exception):
    """Hosts may ask for more than this knows; the protocol has a code for that."""


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
        raise UnknownMethod(f"there is no method {method}")


def main():
    journal = Journal()
    while (message := read_message(sys.stdin.buffer)) is not None:
        if "id" not in message:
            continue  # a notice wants no answer
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
