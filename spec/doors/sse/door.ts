// A fifth door: sessions as server-sent events over HTTP. Of the engine it needs the host port and nothing else.
import { once } from "node:events"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import type { HostPort, SessionHandle } from "../../../src/contract/host-port.ts"
import type { Refusal } from "../../../src/contract/refusals.ts"
import type { JsonValue, Who } from "../../../src/contract/values.ts"
import { Outbox } from "../../../src/doors/core/outbox.ts"
import { SessionWatch } from "../../../src/doors/core/session-watch.ts"
import { decodeCommand, sseView } from "./codec.ts"
import { sseErrors } from "./errors.ts"

export const errors = sseErrors
/** A client with more unread bytes is sent nothing until it reads; a longer body, or one of unknown length, is refused. */
export const limits = { unreadBytes: 64 * 1024, bodyBytes: 64 * 1024 }

export function open(port: HostPort, by: Who): RequestListener {
  return (request, response) =>
    void serve(port, by, request, response).catch((fault: unknown) => {
      if (response.headersSent) response.destroy()
      else refuse(response, { code: "frame.bad", what: String(fault) })
    })
}

/** `GET /sessions/ID/events`, `POST /sessions/ID/prompt/PROMPT` and `POST /sessions/ID/approve/APPROVAL`. */
async function serve(port: HostPort, by: Who, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, , sessionId = "", type, id = ""] = request.url?.split("/") ?? []
  const opened = await port.open(sessionId, by)
  if (opened.kind === "refused") return refuse(response, opened.refusal)
  if (type === "events") return follow(opened.handle, Number(request.headers["last-event-id"] ?? 0), response)
  const length = Number(request.headers["content-length"] ?? Infinity)
  if (length > limits.bodyBytes)
    return refuse(response, { code: "frame.bad", what: `more than ${limits.bodyBytes} bytes` })
  const command = type === "prompt" || type === "approve" ? decodeCommand(type, id, await text(request)) : undefined
  if (command === undefined) return refuse(response, { code: "frame.bad", what: "the body is not the command" })
  const sent = await opened.handle.send(command)
  return sent.kind === "refused" ? refuse(response, sent.refusal) : reply(response, 202, { seq: sent.seq })
}

/** The view folds from the beginning, so that it knows what is open; the client gets what comes after its cursor. */
async function follow(handle: SessionHandle, cursor: number, response: ServerResponse): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once("close", resolve))
  const stream = {
    write: (frames: string) => void response.write(frames),
    get isBehind() {
      return response.writableLength > limits.unreadBytes
    },
    drained: () => Promise.race([closed, once(response, "drain")]),
    closed,
  }
  const none = { frames: 0, bytes: 0 }
  const outbox = new Outbox<string>(stream, { limits: { update: none, reply: none }, sizeOf: ({ length }) => length })
  const view = sseView(handle.sessionId, cursor)
  const watch = new SessionWatch({ flow: outbox, onItem: (item) => outbox.offer(view.encode(item)) })
  void closed.then(() => watch.stop())
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
  await watch.follow(handle, 0)
  outbox.offer(view.approvals())
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  reply(response, errors[refusal.code], { code: refusal.code, message: describeRefusal(refusal) })
}

function reply(response: ServerResponse, status: number, body: JsonValue): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
