// A provider on loopback: speaks chat completions, gives each request to the conversation whose model it names, and counts
// its tokens as the conversation's model does.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { textIn, tryParseJson } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { messageOf } from "../../app-fault.ts"

export type Reply =
  /** `isRetryable`: the same request is to be sent again at once. */
  | { readonly kind: "refusal"; readonly status: number; readonly code: string; readonly isRetryable?: true }
  /** Deltas as the format has them. An answer without a finish breaks off. */
  | {
      readonly kind: "answer"
      readonly deltas: readonly object[]
      readonly finish: string | undefined
      readonly usage?: object
    }

export interface ProvidedModel {
  answer(body: JsonValue, text: string): Reply
  /** The request was none that a provider understands. */
  fail(what: string): void
}

export class Provider {
  readonly models = new Map<string, ProvidedModel>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    const address = this.#server.address()
    return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}/v1`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const text = await textOf(request)
      const body = tryParseJson(text)
      const model = this.models.get(textIn(body, "model") ?? "")
      if (request.url !== "/v1/chat/completions" || body === undefined || model === undefined)
        return void response.writeHead(404).end()
      send(response, this.#replyOf(model, body, text))
    } catch {
      response.destroy() // the host has cancelled the request
    }
  }

  #replyOf(model: ProvidedModel, body: JsonValue, text: string): Reply {
    try {
      return model.answer(body, text)
    } catch (fault) {
      model.fail(messageOf(fault))
      return { kind: "refusal", status: 400, code: "invalid_request_error" }
    }
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply.kind === "refusal") {
    const { status, code, isRetryable } = reply
    const headers = { "content-type": "application/json", ...(isRetryable === true ? { "retry-after-ms": "1" } : {}) }
    const error = { message: `The proof refuses this request: ${code}`, type: "invalid_request_error", code }
    return void response.writeHead(status, headers).end(JSON.stringify({ error }))
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const delta of reply.deltas) response.write(chunk([{ index: 0, delta, finish_reason: null }]))
  if (reply.finish === undefined) return void response.end()
  response.write(chunk([{ index: 0, delta: {}, finish_reason: reply.finish }]))
  if (reply.usage !== undefined) response.write(chunk([], { usage: reply.usage }))
  response.end("data: [DONE]\n\n")
}

function chunk(choices: readonly object[], more: object = {}): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }
  return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += String(piece)
  return text
}
