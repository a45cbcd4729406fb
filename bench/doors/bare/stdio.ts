// The bare relay on standard input and output, with the frames of the stdio child.
import { createInterface } from "node:readline"
import type { Relay } from "./ask.ts"

export function serveStdio(relay: Relay): void {
  let history: object[] = []
  write({ type: "ready", session_id: "s", model: "m", protocol_version: 1 })
  const input = createInterface({ input: process.stdin })
  input.on("close", () => process.exit())
  input.on("line", (line) => {
    const { type, id, message }: Record<string, string> = JSON.parse(line)
    if (type === "shutdown") process.exit(0)
    if (type === "new_session") history = []
    if (message === undefined) return write({ type: "response", id, command: type, ok: true })
    relay.ask(history, message, {
      onDeltas: (deltas) => write(...deltas.map((delta) => update({ type: "text_delta", delta }))),
      onCall: ({ id: tool_id, name: tool_name, input: given }) =>
        write(
          update({ type: "toolcall_start", tool_id, tool_name }),
          update({ type: "toolcall_input", tool_id, input: given }),
        ),
      onResult: ({ id: tool_id }, result) => write(update({ type: "toolcall_result", tool_id, result })),
      onEnd: () => write({ type: "agent_end", usage: {} }, { type: "response", id, command: "prompt", ok: true }),
    })
  })
}

/** One turn, its text on standard output. */
export function once(relay: Relay, message: string): void {
  relay.ask([], message, {
    onDeltas: (deltas) => process.stdout.write(deltas.join("")),
    onCall: () => {},
    onResult: () => {},
    onEnd: () => process.exit(0),
  })
}

function update(event: object): object {
  return { type: "message_update", event }
}

function write(...frames: readonly object[]): void {
  process.stdout.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))
}
