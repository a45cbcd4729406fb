// A visitor of the WebSocket API that does as it likes. It checks each frame that the server sends.
import { textIn, tryParseJson } from "../../../../contract/json-object.ts"
import { actions } from "../../../../protocols/ws/actions.ts"
import { decodeFrame } from "../../../../protocols/ws/codec.ts"
import { checks } from "../../../../protocols/ws/generated/answers.js"
import { checkServerEvent } from "../../../../protocols/ws/generated/events.js"
import { Finding } from "../fuzz-target.ts"
import { Awaited } from "./answered.ts"
import type { ByteChannel, Connect, Door } from "./byte-channel.ts"
import { quoted, visitPlaceholder, withId } from "./fuzzed-host.ts"

const sessionId = visitPlaceholder
export const wsSeeds: readonly Uint8Array[] = [
  { action: "ping", requestId: "1" },
  { action: "create_conversation_session", requestId: "1", agentId: "shop", userName: "A", userEmail: "a@b.example" },
  {
    action: "create_conversation_session",
    requestId: "1",
    agentId: "shop",
    conversationId: sessionId,
    supports: ["identity_intake"],
    metadata: { userPhone: "1" },
    browserFingerprint: "f",
  },
  { action: "get_session", requestId: "1", sessionId },
  { action: "get_conversation_messages", requestId: "1", sessionId, limit: 5, cursor: "1" },
  { action: "list_conversations", requestId: "1", limit: 5 },
  { action: "rename_conversation", requestId: "1", conversationId: sessionId, title: "A title" },
  { action: "send_message", requestId: "1", sessionId, message: "hello", stream: true },
  {
    action: "send_message",
    requestId: "1",
    sessionId,
    message: "look",
    images: [{ url: "data:image/png;base64,iVBORw0KGgo=" }],
    files: [{ name: "a.txt", url: "data:text/plain;base64,aGk=" }],
    model: "offline/demo:0",
    skill: "s",
  },
  { action: "cancel", requestId: "1" },
  { action: "confirm_tool_action", requestId: "1", sessionId, approved: true },
  {
    action: "submit_interaction",
    requestId: "1",
    sessionId,
    interactionId: "int_1",
    kind: "form",
    values: { a: "b" },
    declined: false,
  },
  { action: "verify_otp", requestId: "1", sessionId, code: "000000" },
].map((frame) => Buffer.from(JSON.stringify(frame)))

export const wsWords: readonly string[] = [
  ...Object.keys(actions),
  ..."action requestId sessionId conversationId agentId userName userEmail metadata userPhone supports limit cursor".split(
    " ",
  ),
  ..."title message stream images files url name model skill approved interactionId kind values declined code".split(
    " ",
  ),
  "shop",
  "offline/demo:0",
  "data:text/plain,a",
  sessionId,
]

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Undefined for bytes that are not text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** A write to the channel is a frame, what it is called with is one. */
export interface SocketDoor extends Door {
  readonly connect: Connect
}

export class FuzzingVisitor {
  readonly #door: SocketDoor
  readonly #answers = new Awaited()
  #channel: ByteChannel | undefined
  #visitId = visitPlaceholder

  constructor(door: SocketDoor) {
    this.#door = door
  }

  async run(input: Uint8Array): Promise<boolean> {
    const channel = await this.#connected()
    const bytes = withId(input, visitPlaceholder, this.#visitId)
    if (!(await channel.write(bytes))) throw new Finding("read", "the server has read nothing more")
    this.#door.throwReported()
    const text = textOf(bytes)
    return text !== undefined && decodeFrame(text).kind === "action"
  }

  /** On a new connection; the last one ends, and with it what it watches. */
  async check(): Promise<void> {
    this.#channel?.close()
    await this.#ask(await this.#connected(), "ping", { action: "ping" })
    this.#door.throwReported()
  }

  close(): void {
    this.#channel?.close()
  }

  async #connected(): Promise<ByteChannel> {
    if (this.#channel !== undefined && !this.#channel.isClosed) return this.#channel
    this.#channel = await this.#door.connect((text) => this.#received(text))
    const create = "create_conversation_session"
    await this.#ask(this.#channel, create, { action: create, agentId: "shop" })
    return this.#channel
  }

  async #ask(channel: ByteChannel, event: string, frame: object): Promise<void> {
    const requestId = this.#answers.newId()
    const answer = this.#answers.answer(requestId)
    await channel.write(Buffer.from(JSON.stringify({ requestId, ...frame })))
    const isAnswered = await Promise.race([answer, channel.closed.then(() => false)])
    this.#door.throwReported()
    if (!isAnswered) throw new Finding(event, "a valid frame was not answered")
  }

  #received(text: string): void {
    const parsed = tryParseJson(text)
    const frame: unknown = parsed
    if (!checkServerEvent(frame)) return this.#door.report("answer", `not a frame of the protocol: ${quoted(text)}`)
    if (frame.type === "error" && frame.error.code === "INTERNAL_ERROR")
      return this.#door.report("action", `an internal error: ${quoted(text)}`)
    if (frame.type === "immediate_response" && checks.created(frame.data)) this.#visitId = frame.data.sessionId
    this.#answers.received(textIn(parsed, "requestId"))
  }
}
