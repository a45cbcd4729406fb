// A provider on loopback that speaks OpenAI's chat completions. It gives the answers that the proof has queued, in small
// pieces, and keeps what it was sent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { setImmediate as nextTick } from "node:timers/promises"

export type Part =
  | { readonly reasoning: string }
  | { readonly text: string }
  | { readonly call: { readonly tool: string; readonly input: object } }
  /** The stream stays open. */
  | { readonly hang: true }

export type Reply = readonly Part[] | { readonly status: number; readonly message: string }

type Below = (below: number) => number

/** Characters of a piece, exclusive. */
const MAX_PIECE = 12
/** Of what only makes a text long, pieces are long too. */
const FILLING = ".".repeat(100)

export class ModelServer {
  readonly replies: Reply[] = []
  /** Bodies of requests, and their headers without the key of the provider. */
  readonly received: string[] = []
  readonly #server: Server
  readonly #below: Below
  readonly #key: string

  static async open(key: string, below: Below): Promise<ModelServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
    return new ModelServer(server, key, below)
  }

  private constructor(server: Server, key: string, below: Below) {
    this.#server = server
    this.#key = key
    this.#below = below
    server.on("request", (request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
    const headers = JSON.stringify(request.headers).replaceAll(this.#key, "")
    this.received.push(`${headers}\n${request.url}\n${Buffer.concat(chunks).toString("utf8")}`)
    const reply = this.replies.shift() ?? [{ text: "Nothing to add." }]
    if ("status" in reply) return refuse(response, reply)
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const delta of this.#deltas(reply)) {
      response.write(event({ choices: [{ index: 0, delta, finish_reason: null }] }))
      await nextTick() // each piece is a write of its own
    }
    if (reply.some((part) => "hang" in part)) return
    const reason = reply.some((part) => "call" in part) ? "tool_calls" : "stop"
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }))
    response.end("data: [DONE]\n\n")
  }

  #deltas(reply: readonly Part[]): readonly object[] {
    let calls = 0
    return reply.flatMap((part): readonly object[] => {
      if ("hang" in part) return []
      if ("reasoning" in part) return this.#cut(part.reasoning).map((text) => ({ reasoning_content: text }))
      if ("text" in part) return this.#cut(part.text).map((text) => ({ content: text }))
      const index = calls++
      const { tool, input } = part.call
      const head = { index, id: `call_${index}`, type: "function", function: { name: tool, arguments: "" } }
      const rest = this.#cut(JSON.stringify(input)).map((text) => ({ index, function: { arguments: text } }))
      return [head, ...rest].map((piece) => ({ tool_calls: [piece] }))
    })
  }

  #cut(text: string): readonly string[] {
    const pieces: string[] = []
    for (let from = 0; from < text.length;) {
      const filling = text.startsWith(FILLING, from)
      const to = from + (filling ? FILLING.length : 1 + this.#below(MAX_PIECE - 1))
      pieces.push(text.slice(from, to))
      from = to
    }
    return pieces
  }
}

function refuse(response: ServerResponse, { status, message }: { status: number; message: string }): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error", code: null } }))
}

function event(value: object): string {
  return `data: ${JSON.stringify({ id: "answer", object: "chat.completion.chunk", created: 0, model: "any", ...value })}\n\n`
}
