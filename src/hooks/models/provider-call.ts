// One call to an extension's model: sent once, never retried, ended by the caller's signal. Every failure is a fault
// that names the extension. Output after the end is ignored.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { JsonValue } from "../../contract/values.ts"
import type { ProviderRequest, ProviderStreamEvent } from "../../protocols/extension/frames.ts"
import { readProviderResult, readStreamEvent, deltaText } from "../../protocols/extension/providers.ts"
import type { RequestLimit } from "../process/extension.ts"
import type { RpcNotice, Reply } from "../../processes/rpc-process.ts"
import { ModelAnswer } from "./model-answer.ts"

/** Sends provider requests to an extension. */
export interface ProviderLine {
  readonly extension: string
  readonly request: (method: string, params: JsonValue, limit: RequestLimit) => Promise<Reply>
  /** Time limit of an answer; for a stream, of its silence. */
  readonly ms: number
  /** For the extension's log. */
  readonly debug: (line: string) => void
}

export interface ProviderCall {
  readonly method: "provider.complete" | "provider.stream"
  readonly params: ProviderRequest
  /** Key of the provider's reasoning signatures. */
  readonly signedBy: string
}

const streamEvent = "provider.stream.event"

type Emit = (part: LanguageModelV4StreamPart) => void

/** Characters of one answer. A longer stream is treated as broken. */
const MAX_ANSWER_LENGTH = 4 * 1024 * 1024

export class ExtensionModelFault extends Error {
  override readonly name = "ExtensionModelFault"
}

/** Resolves when everything was emitted, the finish part last. */
export async function callProvider(
  line: ProviderLine,
  call: ProviderCall,
  signal: AbortSignal,
  emit: Emit,
): Promise<void> {
  const { method, params, signedBy } = call
  const finished = new AbortController()
  const stop = AbortSignal.any([signal, finished.signal])
  const collector = new AnswerCollector(line, new ModelAnswer((part) => stop.aborted || emit(part), signedBy))
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    reject(reason)
    finished.abort()
  }
  const onAbort = () => end(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener("abort", onAbort, { once: true })
  const onNotice = (notice: RpcNotice) => {
    if (notice.method !== streamEvent) return false
    const fault = collector.collect(notice)
    if (fault !== undefined) end(fault)
    return true
  }
  const limit = { ms: line.ms, from: "written", once: true, signal: stop } as const
  try {
    const streams = method === "provider.stream"
    const reply = await Promise.race([
      line.request(method, { ...params }, streams ? { ...limit, onNotice } : limit),
      ended,
    ])
    collector.end(method, reply)
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}

/** Collects one answer. */
class AnswerCollector {
  readonly #line: ProviderLine
  readonly #answer: ModelAnswer
  #usage: JsonValue = null
  #isDone = false

  constructor(line: ProviderLine, answer: ModelAnswer) {
    this.#line = line
    this.#answer = answer
  }

  /** Why the stream is broken, if it is. */
  collect({ params }: RpcNotice): ExtensionModelFault | undefined {
    const event = readStreamEvent(params)
    if (event !== undefined) return this.#take(event)
    this.#line.debug(`(invalid provider.stream.event: ${JSON.stringify(params).slice(0, 200)})`)
    return undefined
  }

  #take(event: ProviderStreamEvent): ExtensionModelFault | undefined {
    switch (event.type) {
      case "text":
      case "thinking":
        this.#answer.stream(event.type === "text" ? "text" : "reasoning", deltaText(event) ?? "")
        return this.#answer.length > MAX_ANSWER_LENGTH ? this.#fault("sent an answer without end") : undefined
      case "usage":
        this.#usage = event.usage ?? event // extensions use either form
        return undefined
      case "error":
        return this.#fault(`aborted its answer: ${event.message}`)
      case "done":
        this.#isDone = true
        return undefined
      case "tool_use": // tool calls come in the result only
        this.#line.debug("(a tool_use in a stream is ignored)")
        return undefined
    }
  }

  end(method: string, reply: Reply): void {
    if (reply.kind !== "result") throw this.#fault(this.#failureReason(method, reply))
    const read = readProviderResult(reply.value)
    if (read.kind === "invalid") throw this.#fault(`answered ${method} with an invalid result: ${read.problem}`)
    const { answer } = read
    if (answer.blocks.length === 0 && this.#answer.length === 0)
      throw this.#fault(`answered ${method} with an empty result`)
    this.#answer.end(answer, this.#usage)
  }

  #failureReason(method: string, reply: Exclude<Reply, { kind: "result" }>): string {
    const seconds = this.#line.ms / 1000
    switch (reply.kind) {
      case "error":
        return `answered ${method} with an error: ${reply.message}`
      case "fault":
        return `failed during ${method}: ${reply.reason}`
      case "given-up":
        if (this.#isDone) return `reported the end of its stream, but sent no result for ${method} within ${seconds} s`
        if (this.#answer.length > 0) return `stopped sending during ${method} for ${seconds} s`
        return `did not answer ${method} within ${seconds} s`
    }
  }

  #fault(problem: string): ExtensionModelFault {
    return new ExtensionModelFault(`extension ${this.#line.extension} ${problem}`)
  }
}
