// Reads frames and answers requests in order, one at a time. A fault of a handler becomes an error response; a framing
// fault is thrown, because the start of the next frame is then unknown.
import { setTimeout } from "node:timers/promises"
import type { Readable } from "node:stream"
import type { JsonValue } from "../../contract/values.ts"
import {
  errorAnswer,
  decodeBody,
  encodeNotification,
  encodeResponse,
  type Answer,
  type RpcMessage,
} from "../../protocols/json-rpc.ts"
import { contentFrame, ContentLengthSplitter } from "../../transports/framing/content-length.ts"
import type { ExtensionDefinition } from "./definition.ts"
import { HostCalls } from "./host-calls.ts"
import { RequestHandler } from "./request-handler.ts"

export interface Wire {
  readonly input: Readable
  readonly send: (frame: string) => Promise<void>
}

/** How long a handler may still run when the host is gone. */
const GRACE_MS = 500

/** Returns after `shutdown` was answered, or at the end of the input. */
export async function serve(definition: ExtensionDefinition, { input, send }: Wire): Promise<void> {
  const calls = new HostCalls((body) => send(contentFrame(body)))
  const notify = (method: string, params: JsonValue) => send(contentFrame(encodeNotification(method, params)))
  const handler = new RequestHandler(definition, { calls, notify })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let tail: Promise<void> = Promise.resolve()

  const handle = async (message: RpcMessage): Promise<void> => {
    if (message.kind === "call") await send(contentFrame(encodeAnswer(message.id, await handler.answer(message))))
    if ((message.kind === "call" || message.kind === "notice") && message.method === "shutdown") resolve()
  }
  const splitter = new ContentLengthSplitter((frame) => {
    if (frame.kind === "fault") reject(new Error(`invalid frame of the host: ${frame.problem}`))
    if (frame.kind !== "body") return
    const message = decodeBody(frame.text)
    if (message.kind === "answer") calls.receive(message.id, message.answer)
    else tail = tail.then(() => handle(message)).catch(reject)
  }, Infinity) // a frame can contain a whole session
  input.on("data", (chunk: Uint8Array) => splitter.push(chunk))
  input.on("error", reject)
  input.on("end", () => {
    splitter.end()
    calls.close()
    void Promise.race([tail, setTimeout(GRACE_MS)]).then(() => resolve())
  })
  try {
    await promise
  } finally {
    await handler.shutDown()
  }
}

/** A handler can return a value that JSON does not have: that becomes an error response. */
function encodeAnswer(id: string | number, answer: Answer): string {
  try {
    return encodeResponse(id, answer)
  } catch (fault) {
    console.error(fault)
    return encodeResponse(id, errorAnswer("failed", fault instanceof Error ? fault.message : String(fault)))
  }
}
