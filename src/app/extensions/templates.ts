// The programs of a new extension, with two hooks to change: in TypeScript with the SDK, in Python without a library.
export const typeScriptProgram = `// Blocks the calls that the manifest (.synaps-plugin/plugin.json) selects under "hooks". Change both together.
// Turnhouse resolves "turnhouse/extension" when it starts the extension; nothing has to be installed.
// Output goes to the extension's log.
import { allow, block, defineExtension } from "turnhouse/extension"

await defineExtension({
  hooks: {
    on_session_start() {
      return allow()
    },
    before_tool_call(_event, { config }) {
      return block(String(config["reason"]))
    },
  },
}).run()
`

export const pythonProgram = `"""An extension: asked with JSON-RPC on stdin, answers on stdout, one message behind each Content-Length.

Print to stderr only; it goes to a log.
"""

import json
import sys

settings = {}


def handle(event):
    """Change this. Called for the events that the manifest selects under "hooks"."""
    if event["kind"] == "before_tool_call":
        return {"action": "block", "reason": settings["reason"]}
    return {"action": "continue"}


def answer(method, params):
    if method == "initialize":
        settings.update(params["config"])
        return {"protocol_version": 1, "capabilities": {}}
    if method == "hook.handle":
        return handle(params)
    if method == "shutdown":
        return None
    raise ValueError("unknown method " + method)


def receive():
    """The next request, or None at the end of input."""
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        name, _, value = line.decode("latin-1").partition(":")
        if name.lower() == "content-length":
            length = int(value)
        if line.strip() == b"" and length is not None:
            return json.loads(sys.stdin.buffer.read(length))


def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()


def main():
    while (request := receive()) is not None:
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            reply["result"] = answer(request["method"], request.get("params"))
        except Exception as fault:
            reply["error"] = {"code": -32603, "message": str(fault)}
        send(reply)
        if request["method"] == "shutdown":
            return


main()
`
