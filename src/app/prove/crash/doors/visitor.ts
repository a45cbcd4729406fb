// A visitor of the WebSocket API (smooth-operator).
import { randomUUID } from "node:crypto"
import { memberIn, textIn, tryParseJson, type JsonObject } from "../../../../contract/json-object.ts"
import type { JsonValue } from "../../../../contract/values.ts"
import type { DoorClient, DoorMemory, Message } from "./door-client.ts"

export const agentId = "prove"

/** Resolves when the conversation is open and its messages are compared. `conversationId`: else a new one. */
export async function connectVisitor(url: string, memory: DoorMemory, conversationId?: string): Promise<Visitor> {
  const socket = new WebSocket(url)
  const visitor = new Visitor(socket, memory)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve())
    socket.addEventListener("error", () => reject(new Error(`${url} did not answer`)))
  })
  await visitor.open(conversationId)
  return visitor
}

export class Visitor implements DoorClient {
  conversationId = ""
  readonly #socket: WebSocket
  readonly #memory: DoorMemory
  readonly #answers = new Map<string, (frame: JsonValue) => void>()
  /** Requests of messages, with their text. */
  readonly #sent = new Map<string, string>()
  readonly #ended = new Set<string>()
  /** Requests that answer a card which the server has shown and which no other client answers. */
  readonly #confirmed = new Set<string>()
  readonly #closed = Promise.withResolvers<void>()
  #visit = ""
  #isAsked = false

  constructor(socket: WebSocket, memory: DoorMemory) {
    this.#socket = socket
    this.#memory = memory
    socket.addEventListener("message", ({ data }) => this.#receive(String(data)))
    socket.addEventListener("close", () => {
      this.#closed.resolve()
      for (const answer of this.#answers.values()) answer(null)
    })
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  async open(conversationId: string | undefined): Promise<void> {
    const opened = memberIn(await this.#ask("create_conversation_session", { agentId, conversationId }), "data")
    this.#visit = textIn(opened, "sessionId") ?? ""
    this.conversationId = textIn(opened, "conversationId") ?? ""
    if (this.conversationId === "" && this.#isOpen) throw new Error("the server opened no conversation")
    if (conversationId !== undefined && this.#isOpen && this.conversationId !== conversationId)
      this.#memory.violate("lost", "session.created", `the server no longer knows the conversation ${conversationId}`)
    const messages = memberIn(
      memberIn(await this.#ask("get_conversation_messages", { limit: 100 }), "data"),
      "messages",
    )
    if (Array.isArray(messages)) this.#memory.compare(messages.toReversed().flatMap(messageIn))
  }

  prompt(text: string): boolean {
    if (!this.#isOpen) return false
    const requestId = randomUUID()
    this.#sent.set(requestId, text)
    this.#write("send_message", { requestId, message: text })
    return true
  }

  approve(_approvalId: string, isApproved: boolean): boolean {
    if (!this.#isAsked || !this.#isOpen) return false // a turn that another client started
    this.#isAsked = false
    const requestId = randomUUID()
    this.#confirmed.add(requestId)
    this.#write("confirm_tool_action", { requestId, approved: isApproved })
    return true
  }

  close(): void {
    this.#socket.close()
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  #ask(action: string, fields: JsonObject): Promise<JsonValue> {
    const requestId = randomUUID()
    return new Promise((resolve) => {
      this.#answers.set(requestId, resolve)
      if (this.#isOpen) this.#write(action, { ...fields, requestId })
      else resolve(null)
    })
  }

  #write(action: string, fields: JsonObject): void {
    const sessionId = this.#visit === "" ? undefined : this.#visit
    if (this.#isOpen) this.#socket.send(JSON.stringify({ action, sessionId, ...fields }))
  }

  /** What arrives after the cut is lost. */
  #receive(text: string): void {
    if (!this.#isOpen) return
    this.#memory.onFrame(text)
    const frame = tryParseJson(text) ?? null
    this.#take(frame)
    if (this.#memory.cutsAt(textIn(frame, "type") ?? "")) this.close()
  }

  #take(frame: JsonValue): void {
    const requestId = textIn(frame, "requestId") ?? ""
    const answer = this.#answers.get(requestId)
    this.#answers.delete(requestId)
    answer?.(frame)
    switch (textIn(frame, "type")) {
      case "immediate_response":
        return this.#acknowledge(frame, requestId)
      case "write_confirmation_required":
        this.#isAsked = true
        return
      case "eventual_response":
      case "cancelled":
      case "error":
        if (this.#confirmed.has(requestId)) this.#refuse(frame)
        return this.#end(requestId)
      default:
    }
  }

  #acknowledge(frame: JsonValue, requestId: string): void {
    const text = this.#sent.get(requestId)
    if (text !== undefined && memberIn(frame, "status") === 202) this.#memory.know({ role: "user", text })
  }

  #refuse(frame: JsonValue): void {
    this.#memory.violate(
      "broken",
      "approval.requested",
      `the answer to an open card was refused: ${JSON.stringify(frame)}`,
    )
  }

  #end(requestId: string): void {
    if (!this.#sent.has(requestId)) return
    if (this.#ended.has(requestId)) this.#memory.violate("doubled", "turn.ended", `the turn ${requestId} ended twice`)
    this.#ended.add(requestId)
  }
}

function messageIn(value: JsonValue): readonly Message[] {
  const text = textIn(memberIn(value, "content"), "text") ?? ""
  return [{ role: textIn(value, "direction") === "inbound" ? "user" : "assistant", text }]
}
