// Reads frames and answers requests, one after the other in the order in which they came. A fault of a handler is an
// answer; a fault of the wire is thrown, because where the next frame begins is then not known.
import { setTimeout } from "node:timers/promises"
import type { Readable } from "node:stream"
import type { JsonValue } from "../../contract/values.ts"
import { errorAnswer } from "../../protocols/extension/errors.ts"
import { receive, type Answer, type FromExtension } from "../../protocols/extension/receive.ts"
import { tellAnswer, tellNotice } from "../../protocols/extension/tell.ts"
import { contentFrame, ContentLengthSplitter } from "../../transports/framing/content-length.ts"
import { Answering } from "./request-handler.ts"
import type { ExtensionDefinition } from "./definition.ts"
import { HostCalls } from "./host-calls.ts"

export interface Wire {
  readonly input: Readable
  readonly send: (frame: string) => Promise<void>
}

/** For a handler that is still busy when the host is gone: nobody will read its answer. */
const graceMs = 500

/** Over with `shutdown`, answered, or with the end of the input. */
export async function serve(definition: ExtensionDefinition, { input, send }: Wire): Promise<void> {
  const calls = new HostCalls((body) => send(contentFrame(body)))
  const tell = (method: string, params: JsonValue) => send(contentFrame(tellNotice(method, params)))
  const answering = new Answering(definition, { calls, tell })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let tail: Promise<void> = Promise.resolve()

  const handle = async (heard: FromExtension): Promise<void> => {
    if (heard.kind === "call") await send(contentFrame(bodyOf(heard.id, await answering.answer(heard))))
    if ((heard.kind === "call" || heard.kind === "notice") && heard.method === "shutdown") resolve()
  }
  const splitter = new ContentLengthSplitter((frame) => {
    if (frame.kind === "fault") reject(new Error(`the host's frames are broken: ${frame.what}`))
    if (frame.kind !== "body") return
    const heard = receive(frame.text)
    if (heard.kind === "answer") calls.settle(heard.id, heard.answer)
    else tail = tail.then(() => handle(heard)).catch(reject)
  }, Infinity) // what the host sends may be as long as a session
  input.on("data", (chunk: Uint8Array) => splitter.push(chunk))
  input.on("error", reject)
  input.on("end", () => {
    splitter.end()
    calls.close()
    void Promise.race([tail, setTimeout(graceMs)]).then(() => resolve())
  })
  try {
    await promise
  } finally {
    await answering.shutDown()
  }
}

/** What a handler gives back may be something that JSON does not have: its author hears of it, and the process goes on. */
function bodyOf(id: string | number, answer: Answer): string {
  try {
    return tellAnswer(id, answer)
  } catch (fault) {
    console.error(fault)
    return tellAnswer(id, errorAnswer("failed", fault instanceof Error ? fault.message : String(fault)))
  }
}
