// A plain HTTP client of the SSE door: collects events and waits for the one that fits.
import { request, type IncomingMessage } from "node:http"

export interface SseEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: unknown
}

export class SseClient {
  readonly events: SseEvent[] = []
  lastEventId = ""
  readonly #response: IncomingMessage
  readonly #waiting = new Set<() => void>()
  #rest = ""

  static async open(url: string, lastEventId?: string): Promise<SseClient> {
    const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request(url, { headers }, resolve).once("error", reject).end(),
    )
    return new SseClient(response)
  }

  private constructor(response: IncomingMessage) {
    this.#response = response
    response.setEncoding("utf8").on("data", (chunk: string) => this.#read(chunk))
  }

  get status(): number | undefined {
    return this.#response.statusCode
  }

  /** The text as a page would show it: every piece at its position. */
  get text(): string {
    let text = ""
    for (const { data } of this.named("text")) if (isText(data)) text = text.slice(0, data.start) + data.text
    return text
  }

  named(name: string): readonly SseEvent[] {
    return this.events.filter(({ event }) => event === name)
  }

  async until<Found>(find: () => Found | undefined | false): Promise<Found> {
    for (;;) {
      const found = find()
      if (found !== undefined && found !== false) return found
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  pause(): void {
    this.#response.pause()
  }

  resume(): void {
    this.#response.resume()
  }

  close(): void {
    this.#response.destroy()
  }

  #read(chunk: string): void {
    const blocks = (this.#rest + chunk).split("\n\n")
    this.#rest = blocks.pop() ?? ""
    for (const block of blocks) this.#take(block)
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
    const id = field("id")
    if (id !== undefined) this.lastEventId = id
    const data = field("data")
    if (data !== undefined) this.events.push({ id, event: field("event") ?? "message", data: JSON.parse(data) })
  }
}

function isText(data: unknown): data is { readonly start: number; readonly text: string } {
  return (
    typeof data === "object" &&
    data !== null &&
    "start" in data &&
    typeof data.start === "number" &&
    "text" in data &&
    typeof data.text === "string"
  )
}
