// The programs of a new extension, whole and without dependencies: the wire, and two hooks to change.
export const typeScriptProgram = `// An extension: asked with JSON-RPC on stdin, answers on stdout, one message behind each Content-Length.
// Print to stderr only; it goes to a log.

interface HookEvent {
  readonly kind: string
  readonly tool_name: string | null
  readonly tool_input: unknown
  readonly session_id: string | null
}

type Action =
  | { readonly action: "continue" }
  | { readonly action: "block"; readonly reason: string }
  | { readonly action: "confirm"; readonly message: string }
  | { readonly action: "modify"; readonly input: unknown }
  | { readonly action: "inject"; readonly content: string }

type Request = { readonly id: number } & (
  | { readonly method: "initialize"; readonly params: { readonly config: { readonly reason: string } } }
  | { readonly method: "hook.handle"; readonly params: HookEvent }
  | { readonly method: "shutdown"; readonly params: null }
)

let reason = ""

/** Change this: only what the manifest names under "hooks" comes here. */
function handle(event: HookEvent): Action {
  switch (event.kind) {
    case "before_tool_call":
      return { action: "block", reason }
    default:
      return { action: "continue" }
  }
}

function answer(request: Request): unknown {
  switch (request.method) {
    case "initialize":
      reason = request.params.config.reason
      return { protocol_version: 1, capabilities: {} }
    case "hook.handle":
      return handle(request.params)
    case "shutdown":
      return null
    default:
      throw new Error("there is no such method")
  }
}

function receive(request: Request): void {
  try {
    send({ jsonrpc: "2.0", id: request.id, result: answer(request) })
  } catch (fault) {
    send({ jsonrpc: "2.0", id: request.id, error: { code: -32603, message: String(fault) } })
  }
  if (request.method === "shutdown") process.stdin.destroy()
}

function send(message: unknown): void {
  const body = Buffer.from(JSON.stringify(message))
  process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n")
  process.stdout.write(body)
}

let waiting = Buffer.alloc(0)
process.stdin.on("data", (chunk: Buffer) => {
  waiting = Buffer.concat([waiting, chunk])
  for (;;) {
    const head = waiting.indexOf("\\r\\n\\r\\n")
    if (head === -1) return
    const length = /content-length: *(\\d+)/i.exec(waiting.toString("latin1", 0, head))
    const end = head + 4 + Number(length?.[1])
    if (waiting.length < end) return
    const request = JSON.parse(waiting.toString("utf8", head + 4, end))
    waiting = waiting.subarray(end)
    receive(request)
  }
})
`

export const pythonProgram = `"""An extension: asked with JSON-RPC on stdin, answers on stdout, one message behind each Content-Length.

Print to stderr only; it goes to a log.
"""

import json
import sys

settings = {}


def handle(event):
    """Change this: only what the manifest names under "hooks" comes here."""
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
    raise ValueError("there is no method " + method)


def receive():
    """The next request, or None when the input has ended."""
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
