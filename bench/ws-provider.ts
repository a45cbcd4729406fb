// The local provider for bench/ws.ts: streamed chat completions, one event and one write per token. The newest user message
// states number and interval of the tokens. Every token has the time it was written, on the clock of the machine.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setImmediate as turnOfTheLoop, setTimeout as pause } from "node:timers/promises"
import { clockMs } from "./ws-server.ts"

const server = createServer((request, response) => void answer(request, response))
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { tokens, everyMs } = wish(await bodyOf(request))
  response.writeHead(200, { "content-type": "text/event-stream" })
  const begun = clockMs()
  for (let n = 0; n < tokens; n++) {
    const due = begun + n * everyMs - clockMs()
    if (due > 0) await pause(due)
    else if (everyMs === 0) await turnOfTheLoop()
    response.write(event({ content: ` ${clockMs().toFixed(3)}` }, null))
  }
  response.write(event({}, "stop"))
  response.end(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`)
}

/** `200 tokens, one every 50 ms` */
function wish(body: string): { tokens: number; everyMs: number } {
  const wishes = [...body.matchAll(/(\d+) tokens, one every (\d+) ms/g)]
  const [, tokens, everyMs] = wishes.at(-1) ?? []
  return { tokens: Number(tokens), everyMs: Number(everyMs) }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const piece of request.setEncoding("utf8")) body += piece
  return body
}

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

function event(delta: object, finishReason: string | null): string {
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`
}
