// The bare relay behind a Unix socket, with the frames of the native API or of the session socket. All connections get all frames.
import { createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import type { Listener, Relay } from "./ask.ts"

const sessionId = "01900000-0000-7000-8000-000000000000"
const stepId = "stp_0190b6a0e2f74c55a1"

interface Frame {
  readonly type?: string
  readonly id?: string
  readonly content?: string
  readonly command?: { readonly text?: string }
}

interface Dialect {
  /** What the frame is answered with. */
  readonly answer: (frame: Frame) => readonly object[]
  readonly textOf: (frame: Frame) => string | undefined
  readonly delta: (delta: string) => object
  readonly call: (call: object) => object
  readonly result: (result: object) => object
  readonly end: object
}

const house: Dialect = {
  answer: ({ type, id }) =>
    type === "hello"
      ? [{ type: "hello", version: 1, host: "h", role: "host", release: "0", pid: process.pid, principal: "p" }]
      : [{ type: "answer", id, value: { sessionId, seq: 0 } }],
  textOf: ({ command }) => command?.text,
  delta: (delta) => ({ type: "delta", sessionId, delta: { type: "text.delta", stepId, block: 0, delta } }),
  call: (call) => ({ type: "event", sessionId, seq: 1, event: { seq: 1, type: "tool.called", call } }),
  result: (result) => ({ type: "event", sessionId, seq: 1, event: { seq: 1, type: "tool.ended", result } }),
  end: { type: "event", sessionId, seq: 1, event: { seq: 1, at: 1, v: 1, type: "turn.ended", reason: "done" } },
}

const ipc: Dialect = {
  answer: ({ type }) =>
    type === undefined
      ? [
          { accepted: true, session_id: sessionId, session_token: "t", error: null },
          { type: "conversation_sync", session_id: sessionId, model: "m", messages: [], status: "", is_busy: false },
          { type: "task_update", task_tree: "No tasks", task_count: 0, completed_count: 0 },
          { type: "seal_status", enabled: true, entity_count: 0, last_resolution: null, quality_score: 1 },
        ]
      : type === "sync_request"
        ? [{ type: "task_update", task_tree: "No tasks", task_count: 0, completed_count: 0 }]
        : [{ type: "ack", command: type }],
  textOf: ({ content }) => content,
  delta: (text) => ({ type: "stream_chunk", text }),
  call: (call) => ({ type: "tool_call_start", ...call }),
  result: (result) => ({ type: "tool_result", ...result }),
  end: { type: "stream_end", finish_reason: "stop" },
}

export function serveLines(relay: Relay, door: "house" | "ipc", path: string): void {
  const dialect = door === "house" ? house : ipc
  const sockets = new Set<Socket>()
  let history: object[] = []
  const tell = (...frames: readonly object[]) => {
    const lines = Buffer.from(frames.map(lineOf).join(""))
    for (const socket of sockets) socket.write(lines)
  }
  const listener: Listener = {
    onDeltas: (deltas) => tell(...deltas.map(dialect.delta)),
    onCall: (call) => tell(dialect.call(call)),
    onResult: ({ id, name }, output) => tell(dialect.result({ id, name, output, error: null })),
    onEnd: () => tell(dialect.end),
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    const drop = () => {
      sockets.delete(socket)
      socket.destroy()
    }
    socket.on("error", drop).on("close", drop)
    createInterface({ input: socket }).on("line", (line) => {
      const frame: Frame = JSON.parse(line)
      const text = dialect.textOf(frame)
      if (frame.type === "create" || frame.type === undefined) history = []
      if (text !== undefined) relay.ask(history, text, listener)
      socket.write(dialect.answer(frame).map(lineOf).join(""))
    })
  })
  server.listen(path, 2000, () => console.log(`listening on ${path}`))
}

function lineOf(frame: object): string {
  return `${JSON.stringify(frame)}\n`
}
