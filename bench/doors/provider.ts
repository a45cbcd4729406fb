// The provider of the benchmark, on loopback: streams chat completions, Anthropic messages and OpenAI responses. Every token is the
// time when it was written; the first one of an answer also has the time when the request had arrived. It ends with its parent.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setImmediate as turnOfTheLoop } from "node:timers/promises"
import { clockMs, pause } from "./clock.ts"
import { answerFormats, closingOfText, openingOfText, type AnswerFormat, type Body } from "./provider/formats.ts"
import type { Wish } from "./provider/wish.ts"

const server = createServer((request, response) => void answer(request, response))
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
process.stdin.resume().on("end", () => process.exit())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url?.split("?")[0] ?? ""
  const format = answerFormats[path]
  const body = await bodyOf(request)
  const requestedAt = clockMs()
  if (format === undefined) return void response.writeHead(404).end()
  const parsed: Body = JSON.parse(body)
  const wish = format.wishOf(parsed)
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(format.opening + (wish.call === undefined ? openingOfText(path) : format.call(wish.call)))
  const text = wish.call === undefined ? await writeTokens(response, format, wish, requestedAt) : ""
  response.end((wish.call === undefined ? closingOfText(path, text) : "") + format.closing(wish.call !== undefined))
}

async function writeTokens(
  response: ServerResponse,
  format: AnswerFormat,
  { tokens, everyMs, atOnce }: Wish,
  requestedAt: number,
): Promise<string> {
  const begun = clockMs()
  let text = ""
  for (let n = 0; n < tokens; n += atOnce) {
    const due = begun + n * everyMs - clockMs()
    if (due > 0) await pause(due)
    else if (everyMs === 0) await turnOfTheLoop()
    const first = n === 0 ? `${requestedAt.toFixed(3)}/` : ""
    const time = `${clockMs().toFixed(3)};`
    let events = ""
    for (let at = 0; at < Math.min(atOnce, tokens - n); at++) {
      const token = ` ${at === 0 ? first : ""}${time}`
      text += token
      events += format.token(token)
    }
    if (!response.write(events)) await once(response)
  }
  return text
}

/** The reader is slower: a provider buffers no more than its socket. */
function once(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const piece of request.setEncoding("utf8")) body += piece
  return body
}
