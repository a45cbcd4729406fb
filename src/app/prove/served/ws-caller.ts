// A bare client of the WebSocket API in a proof: it sends any frame, and keeps the text of all that it receives.
import { memberIn, textIn, tryParseJson } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"

export interface Answer {
  readonly text: string
  readonly frame: JsonValue
}

/** The types that end a turn. */
const ends: ReadonlySet<string> = new Set(["eventual_response", "error", "cancelled"])
const PATIENCE_MS = 60_000

interface Waiting {
  readonly matches: (frame: JsonValue) => boolean
  readonly settle: (answer: Answer | undefined) => void
}

export class WsCaller {
  readonly #socket: WebSocket
  readonly #waiting = new Set<Waiting>()
  readonly #onText: (text: string) => void
  #requests = 0

  /** `onText`: called with each received frame. */
  static open(url: string, onText: (text: string) => void = () => {}): Promise<WsCaller> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url)
      const caller = new WsCaller(socket, onText)
      socket.addEventListener("open", () => resolve(caller))
      socket.addEventListener("error", () => reject(new Error(`${new URL(url).host} refused a socket`)))
    })
  }

  private constructor(socket: WebSocket, onText: (text: string) => void) {
    this.#socket = socket
    this.#onText = onText
    socket.addEventListener("message", ({ data }) => this.#receive(String(data)))
    socket.addEventListener("close", () => {
      for (const { settle } of this.#waiting) settle(undefined)
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** The first answer to a frame; undefined when the socket was closed, or nothing came. */
  ask(frame: object): Promise<Answer | undefined> {
    const requestId = this.#nextId()
    return this.#send({ requestId, ...frame }, (received) => textIn(received, "requestId") === requestId)
  }

  /** What ends the turn that a message starts. */
  askTurn(frame: object): Promise<Answer | undefined> {
    const requestId = this.#nextId()
    return this.#send({ requestId, ...frame }, (received) => {
      return textIn(received, "requestId") === requestId && ends.has(textIn(received, "type") ?? "")
    })
  }

  /** Resolves with the answer to a ping, which follows the answers to all that was sent before. */
  settle(): Promise<Answer | undefined> {
    return this.ask({ action: "ping" })
  }

  say(frame: object): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame))
  }

  close(): void {
    this.#socket.close()
  }

  #nextId(): string {
    this.#requests += 1
    return `q${this.#requests}`
  }

  #send(frame: object, matches: Waiting["matches"]): Promise<Answer | undefined> {
    if (!this.isOpen) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined) => {
        clearTimeout(late)
        this.#waiting.delete(waiting)
        resolve(answer)
      }
      const late = setTimeout(() => settle(undefined), PATIENCE_MS)
      const waiting: Waiting = { matches, settle }
      this.#waiting.add(waiting)
      this.say(frame)
    })
  }

  #receive(text: string): void {
    this.#onText(text)
    const frame = tryParseJson(text) ?? null
    for (const { matches, settle } of this.#waiting) if (matches(frame)) settle({ text, frame })
  }
}

/** The code of an error frame; undefined for all others. */
export function errorCode(frame: JsonValue): string | undefined {
  return textIn(memberIn(frame, "error"), "code")
}
