// A viewer of the session socket that does as it likes. It checks each line that the session sends.
import type { Socket } from "node:net"
import { textIn, tryParseJson } from "../../../../contract/json-object.ts"
import type { SessionId } from "../../../../contract/ids.ts"
import type { JsonValue } from "../../../../contract/values.ts"
import { agentFiles } from "../../../../protocols/ipc/agent-paths.ts"
import { decodeHandshake, decodeViewerMessage } from "../../../../protocols/ipc/codec.ts"
import { checks as agentChecks } from "../../../../protocols/ipc/generated/agent-messages.js"
import { viewer } from "../../../../protocols/ipc/generated/fields.js"
import { isSealedStart } from "../../../../protocols/ipc/handshake.ts"
import { checks as shapeChecks } from "../../../../protocols/ipc/generated/shapes.js"
import { frameLimits } from "../../../../protocols/ipc/limits.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import { readSmallFile } from "../../../../transports/small-file.ts"
import { openSocket } from "../../../../transports/socket-address.ts"
import { Finding } from "../fuzz-target.ts"
import { inTime } from "./answered.ts"
import { asLine, someLine, type Door } from "./byte-channel.ts"
import { quoted, sessionPlaceholder, withId } from "./fuzzed-host.ts"

const handshake = { version: 2, is_reattach: true, session_id: sessionPlaceholder, session_token: "t" }
export const ipcSeeds: readonly Uint8Array[] = [
  handshake,
  { type: "user_input", content: "hello", context_files: ["a.txt"] },
  { type: "cancel" },
  { type: "sync_request" },
  { type: "detach", exit_when_done: false },
  { type: "slash_command", command: "help", args: [] },
  { type: "slash_command", command: "model", args: ["offline/demo:0"] },
  { type: "set_tool_mode", mode: "Core" },
  { type: "set_tool_mode", mode: { Explicit: ["read"] } },
  { type: "queue_message", content: "later" },
  { type: "acquire_lock", resource_type: "build", scope: "a", description: "d" },
  { type: "release_lock", resource_type: "build", scope: "a" },
  { type: "query_locks", scope: "a" },
  { type: "update_lock_status", resource_type: "build", scope: "a", status: "s" },
  { type: "list_agents" },
  { type: "notify_children", action: "shutdown_if_idle" },
  { type: "parent_signal", signal: "detached", parent_session_id: sessionPlaceholder },
  { type: "disconnect" },
  { type: "enter_plan_mode", focus: "f" },
  { type: "exit_plan_mode" },
  { type: "plan_mode_user_input", content: "c", context_files: [] },
  { type: "plan_mode_sync_request" },
  { type: "spawn_agent", model: "offline/demo:0", reason: "r", working_directory: null },
  { type: "exit" },
].map((frame) => Buffer.from(JSON.stringify(frame)))

export const ipcWords: readonly string[] = [
  ...Object.keys(viewer),
  ...new Set(Object.values(viewer).flat()),
  ..."version is_reattach session_id session_token help status plan tools clear rename undo tasks agents locks".split(
    " ",
  ),
  ..."build test git_index Full Smart Core None Explicit shutdown force_shutdown parent_exiting offline/demo:0".split(
    " ",
  ),
  sessionPlaceholder,
]

/** Written and not yet taken by the door; then the viewer waits. */
const MAX_UNREAD_BYTES = 256 * 1024
const MAX_ATTEMPTS = 20
const newline = 0x0a

export interface SessionSocketDoor extends Door {
  readonly folder: string
  /** A session with a socket: the last one, unless it has ended. */
  session(): Promise<SessionId>
}

export class FuzzingViewer {
  readonly #door: SessionSocketDoor
  #sessionId: SessionId = ""
  #socket: Socket | undefined
  #onSync = () => {}
  /** Whether nothing follows the handshake yet: the next byte chooses how both sides write. */
  #isFresh = false
  /** Answers are sealed, and are not read here. */
  #isSealed = false

  constructor(door: SessionSocketDoor) {
    this.#door = door
  }

  async run(input: Uint8Array): Promise<boolean> {
    if (this.#socket?.writable !== true) await this.#connect()
    const bytes = withId(input, sessionPlaceholder, this.#sessionId)
    if (isHandshake(bytes)) await this.#greetElsewhere(bytes)
    else await this.#write(bytes)
    this.#door.throwReported()
    return someLine(
      bytes,
      (line) => decodeHandshake(line) !== undefined || decodeViewerMessage(line).kind === "message",
    )
  }

  async check(): Promise<void> {
    this.#socket?.destroy()
    await this.#connect()
    this.#door.throwReported()
  }

  close(): void {
    this.#socket?.destroy()
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const socket = this.#socket
    if (this.#isFresh) this.#isSealed = isSealedStart(bytes[0] ?? newline)
    this.#isFresh = false
    if (socket?.write(asLine(bytes)) !== false || socket.writableLength <= MAX_UNREAD_BYTES) return
    if (!(await inTime(drained(socket)))) throw new Finding("read", "the session has read nothing more")
  }

  /** On a connection that is not greeted. It is over when the door has answered, or has read all. */
  async #greetElsewhere(bytes: Uint8Array): Promise<void> {
    const other = await openSocket(agentFiles(this.#door.folder, this.#sessionId).socket).catch(() => undefined)
    if (other === undefined) return // the session has just ended
    const closed = new Promise<void>((resolve) => other.once("close", () => resolve()))
    other.on("error", () => {}) // a close follows
    other.on("data", () => other.destroy())
    other.end(asLine(bytes))
    if (!(await inTime(closed))) throw new Finding("handshake", "the connection was neither answered nor closed")
  }

  /** An accepted viewer that has the conversation. The session may end meanwhile, by what was sent before. */
  async #connect(): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      this.#sessionId = await this.#door.session()
      if (await this.#greet()) return
    }
    throw new Finding("handshake", "a valid viewer was not served")
  }

  async #greet(): Promise<boolean> {
    const files = agentFiles(this.#door.folder, this.#sessionId)
    const token = await readSmallFile(files.token, frameLimits.handshakeBytes).catch(() => undefined)
    const socket = await openSocket(files.socket).catch(() => undefined)
    if (socket === undefined || token === undefined) return false
    const synced = Promise.withResolvers<boolean>()
    this.#onSync = () => synced.resolve(true)
    const lines = new LineSplitter(frameLimits.lineBytes, (line) =>
      this.#received(line.kind === "line" ? line.text : line.kind),
    )
    socket.on("data", (chunk: Buffer) => lines.push(chunk))
    socket.on("error", () => {}) // a close follows
    socket.on("close", () => synced.resolve(false))
    this.#socket = socket
    this.#isSealed = false
    await this.#write(Buffer.from(JSON.stringify({ ...handshake, session_id: null, session_token: token.trim() })))
    const isSynced = (await inTime(synced.promise)) && (await synced.promise)
    this.#isFresh = true
    return isSynced
  }

  #received(line: string): void {
    if (this.#isSealed) return
    const value = tryParseJson(line)
    if (!isAgentFrame(value)) return this.#door.report("answer", `not a frame of the protocol: ${quoted(line)}`)
    if (textIn(value, "type") === "conversation_sync") this.#onSync()
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve).once("close", resolve)
  })
}

function isAgentFrame(value: JsonValue | undefined): boolean {
  const frame: unknown = value
  const type = textIn(value, "type") ?? ""
  return shapeChecks.handshake_response(frame) || (isAgentType(type) && agentChecks[type](frame))
}

function isAgentType(type: string): type is keyof typeof agentChecks {
  return Object.hasOwn(agentChecks, type)
}

function isHandshake(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("is_reattach")
}
