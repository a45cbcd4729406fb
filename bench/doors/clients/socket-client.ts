// A client of the WebSocket API.
import { once } from "node:events"
import { WebSocket } from "ws"
import { TurnClock, type TurnTimes } from "../turn-times.ts"
import { stringIn, type Client } from "./client.ts"

export class SocketClient implements Client {
  readonly #socket: WebSocket
  #session = ""
  #conversation = ""
  #requests = 0

  static async open(url: string): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(url, { perMessageDeflate: false }))
    await once(client.#socket, "open")
    return client
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
  }

  async turn(message: string): Promise<TurnTimes> {
    if (this.#session === "") await this.ask()
    const clock = new TurnClock()
    const { promise, resolve, reject } = Promise.withResolvers<TurnTimes>()
    const onMessage = (data: Buffer) => {
      const frame = String(data)
      if (frame.startsWith('{"type":"stream_token"')) clock.text(stringIn(frame, '"token":"'), frame.length)
      else if (frame.startsWith('{"type":"immediate_response"')) clock.accepted()
      else if (frame.startsWith('{"type":"error"')) reject(new Error(`the turn failed: ${frame.slice(0, 300)}`))
      if (!frame.startsWith('{"type":"eventual_response"')) return
      this.#socket.off("message", onMessage)
      resolve(clock.end())
    }
    const onClose = () => reject(new Error("the server has closed the connection"))
    void promise.finally(() => this.#socket.off("close", onClose)).catch(() => {})
    this.#socket.on("message", onMessage).once("close", onClose)
    this.#send({ action: "send_message", sessionId: this.#session, message })
    return promise
  }

  /** Begins a conversation. */
  ask(): Promise<void> {
    return this.join(undefined)
  }

  /** A conversation that exists already, or a new one. */
  async join(conversationId: string | undefined): Promise<void> {
    const frame = await this.#request({ action: "create_conversation_session", agentId: "a", conversationId })
    this.#session = /"sessionId":"([^"]+)"/.exec(frame)?.[1] ?? ""
    this.#conversation = /"conversationId":"([^"]+)"/.exec(frame)?.[1] ?? ""
  }

  get conversation(): string {
    return this.#conversation
  }

  /** Reads all messages, newest first; returns the number of pages. */
  async readAll(limit: number): Promise<number> {
    let cursor: string | undefined
    for (let page = 1; ; page++) {
      const wanted = { action: "get_conversation_messages", sessionId: this.#session, limit, cursor }
      cursor = /"nextCursor":"([^"]+)"/.exec(await this.#request(wanted))?.[1]
      if (cursor === undefined) return page
    }
  }

  close(): void {
    this.#socket.terminate()
  }

  async #request(frame: object): Promise<string> {
    this.#send(frame)
    const [data]: unknown[] = await once(this.#socket, "message")
    return String(data)
  }

  #send(frame: object): void {
    this.#socket.send(JSON.stringify({ ...frame, requestId: `r${(this.#requests += 1)}` }))
  }
}
