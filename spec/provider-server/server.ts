// A provider on loopback: a real HTTP server that speaks the streaming formats of Anthropic Messages, OpenAI chat
// completions and Responses, Gemini and Bedrock, plays a script and records the requests. The path of a request selects
// the format. It checks only the key; tests check the recorded requests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import type { Answer, ProviderScript, Refused, Reply } from "./script.ts"
import { anthropic } from "./wires/anthropic.ts"
import { bedrock } from "./wires/bedrock.ts"
import { google } from "./wires/google.ts"
import { openaiChat } from "./wires/openai-chat.ts"
import { openaiResponses } from "./wires/openai-responses.ts"
import type { Frame, Wire, WireRequest } from "./wires/wire.ts"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON; an empty object where there was none. */
  readonly body: Readonly<Record<string, unknown>>
  /** Resolves when the client has gone before the answer was complete. */
  readonly abandoned: Promise<void>
}

export interface ProviderServer {
  /** `http://127.0.0.1:PORT`; a base address is usually this and `/v1`. */
  readonly url: string
  /** Model calls in the order in which they arrived; lists of models are not among them. */
  readonly requests: readonly Received[]
  /** The n-th model call, from 1, as soon as it has arrived. */
  readonly arrived: (n: number) => Promise<Received>
  /** More replies, behind those that are left. */
  readonly add: (...replies: readonly Reply[]) => void
  readonly close: () => Promise<void>
}

/** `chooseReply` answers in place of the script's replies. */
export async function startProviderServer(script: ProviderScript, chooseReply?: ChooseReply): Promise<ProviderServer> {
  const provider = new ScriptedProvider(script, chooseReply)
  const server = createServer((request, response) => {
    provider.serve(request, response).catch((error: unknown) => response.destroy(asError(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    requests: provider.requests,
    arrived: (n) => provider.arrived(n),
    add: (...replies) => provider.add(replies),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type ChooseReply = (request: Received) => Reply

class ScriptedProvider {
  readonly requests: Received[] = []
  readonly #script: ProviderScript
  readonly #chooseReply: ChooseReply | undefined
  readonly #left: { readonly reply: Reply; times: number }[] = []
  readonly #waiting: { readonly n: number; readonly resolve: (received: Received) => void }[] = []

  constructor(script: ProviderScript, chooseReply: ChooseReply | undefined) {
    this.#script = script
    this.#chooseReply = chooseReply
    this.add(script.replies)
  }

  add(replies: readonly Reply[]): void {
    for (const reply of replies) {
      this.#left.push({ reply, times: reply.times === "always" ? Infinity : (reply.times ?? 1) })
    }
  }

  arrived(n: number): Promise<Received> {
    const there = this.requests[n - 1]
    if (there !== undefined) return Promise.resolve(there)
    return new Promise((resolve) => this.#waiting.push({ n, resolve }))
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request)
    const path = request.url ?? "/"
    if (new URL(path, "http://127.0.0.1").pathname.endsWith("/models")) return this.#list(request, response)
    const wire = wireFor(path)
    if (wire === undefined) return json(response, 404, { error: { message: `no such address: ${path}` } })
    const received = this.#record(request, response, path, text)
    if (!this.#isKnown(received)) return refuse(response, wire, { status: 401 })
    const reply = this.#chooseReply?.(received) ?? this.#take(text)
    await this.#answer(reply, wire, response, { model: modelIn(received), body: received.body })
  }

  async #answer(reply: Reply, wire: Wire, response: ServerResponse, request: WireRequest): Promise<void> {
    if ("hang" in reply) return
    if ("status" in reply) return refuse(response, wire, reply)
    await writeAnswer(reply, wire, response, request)
  }

  #take(text: string): Reply {
    const entry = this.#left.find(({ reply, times }) => times > 0 && text.includes(reply.when ?? ""))
    if (entry === undefined) return { status: 500, error: { message: "the script has no reply left for this request" } }
    entry.times -= 1
    return entry.reply
  }

  #record(request: IncomingMessage, response: ServerResponse, path: string, text: string): Received {
    const abandoned = new Promise<void>((resolve) => {
      response.on("close", () => {
        if (!response.writableFinished) resolve()
      })
    })
    const received = { method: request.method ?? "", path, headers: headersOf(request), body: parse(text), abandoned }
    this.requests.push(received)
    for (const { n, resolve } of this.#waiting) if (n === this.requests.length) resolve(received)
    return received
  }

  #isKnown({ headers }: Pick<Received, "headers">): boolean {
    const { keys } = this.#script
    if (keys === undefined) return true
    const given = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers["api-key"]
    const key = given ?? headers["authorization"]?.replace("Bearer ", "")
    return key !== undefined && keys.includes(key)
  }

  #list(request: IncomingMessage, response: ServerResponse): void {
    if (this.#script.keysForList === true && !this.#isKnown({ headers: headersOf(request) }))
      return json(response, 401, { error: { message: "invalid key" } })
    const listed = (this.#script.models ?? []).map((model) => (typeof model === "string" ? { id: model } : model))
    const data = listed.map((model) => ({ object: "model", ...model }))
    return json(response, 200, { object: "list", data })
  }
}

async function writeAnswer(answer: Answer, wire: Wire, response: ServerResponse, request: WireRequest): Promise<void> {
  if (answer.firstByteAfterMs !== undefined) await wait(answer.firstByteAfterMs)
  response.writeHead(200, { "content-type": wire.contentType })
  response.flushHeaders()
  await write(response, wire.encodeAnswer(answer, request), answer.betweenMs)
  switch (answer.end ?? "finish") {
    case "finish":
      await write(response, wire.finish(answer, request), answer.betweenMs)
      response.end()
      return
    case "overloaded":
      await write(response, wire.overloaded(), answer.betweenMs)
      response.end()
      return
    case "eof":
      response.end()
      return
    case "cut":
      response.destroy()
      return
    case "hang":
  }
}

async function write(response: ServerResponse, frames: readonly Frame[], betweenMs: number | undefined): Promise<void> {
  for (const frame of frames) {
    // Written out before the next step: a cut must come after what was said, not instead of it.
    await new Promise<void>((resolve) => response.write(frame, () => resolve()))
    if (betweenMs !== undefined) await wait(betweenMs)
  }
}

function wireFor(path: string): Wire | undefined {
  const { pathname } = new URL(path, "http://127.0.0.1")
  if (pathname.endsWith("/messages") || pathname.endsWith(":streamRawPredict")) return anthropic
  if (pathname.endsWith("/chat/completions")) return openaiChat
  if (pathname.endsWith("/responses")) return openaiResponses
  if (pathname.endsWith(":streamGenerateContent")) return google
  if (pathname.endsWith("/converse-stream")) return bedrock
  return undefined
}

function refuse(response: ServerResponse, wire: Wire, refused: Refused): void {
  json(response, refused.status, wire.refuse(refused), refused.headers)
}

function json(response: ServerResponse, status: number, body: unknown, headers: Refused["headers"] = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

function parse(text: string): Record<string, unknown> {
  const value: unknown = text === "" ? {} : JSON.parse(text)
  return typeof value === "object" && value !== null ? { ...value } : {}
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
}

function modelIn({ body, path }: Received): string {
  const model = body["model"]
  return typeof model === "string" ? model : (path.split("/").at(-1) ?? "")
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("The provider server has no port.")
  return address.port
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
