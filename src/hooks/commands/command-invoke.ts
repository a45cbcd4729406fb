// Sends `command.invoke` to an extension. The output is what it sends in `command.output` notifications for the request,
// plus what its response contains; extensions use either.
import { isJsonObject } from "../../contract/json-object.ts"
import { randomUUID } from "node:crypto"
import type { JsonValue } from "../../contract/values.ts"
import { CommandText, plain, readCommandMessage } from "./command-output.ts"
import type { RequestLimit } from "../process/extension.ts"
import type { RpcNotice, Reply } from "../../processes/rpc-process.ts"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import { failed } from "./plugin-command.ts"

/** `Extension.request`. */
export type Ask = (method: string, params: JsonValue, limit: RequestLimit) => Promise<Reply>

interface Listener {
  readonly output: CommandText
  hasOutput: boolean
  hasError: boolean
}

export class CommandCalls {
  readonly #ask: Ask
  readonly #ms: number
  readonly #listeners = new Map<string, Listener>()

  constructor(ask: Ask, ms: number) {
    this.#ask = ask
    this.#ms = ms
  }

  /** Ignores notifications that belong to no running command. */
  handleNotice({ method, params }: RpcNotice): void {
    if (method !== "command.output" || !isJsonObject(params)) return
    const { request_id: id } = params
    const listener = typeof id === "string" ? this.#listeners.get(id) : undefined
    const message = listener === undefined ? undefined : readCommandMessage(params)
    if (listener === undefined || message === undefined) return
    if (message.kind === "error") listener.hasError = true
    else listener.hasOutput = true
    listener.output.push(`${message.kind === "error" ? "error: " : ""}${message.text}\n`)
  }

  async invoke(command: string, args: readonly string[], signal: AbortSignal): Promise<CommandAnswer> {
    const id = randomUUID()
    const listener: Listener = { output: new CommandText(), hasOutput: false, hasError: false }
    this.#listeners.set(id, listener)
    try {
      const limit = { ms: this.#ms, from: "asked", once: true, signal } as const
      const reply = await this.#ask("command.invoke", { command, args: [...args], request_id: id }, limit)
      return this.#answer(listener, reply, signal)
    } finally {
      this.#listeners.delete(id)
    }
  }

  #answer({ output, hasOutput, hasError }: Listener, reply: Reply, signal: AbortSignal): CommandAnswer {
    switch (reply.kind) {
      case "error":
        return failed(withReason(output.text, plain(reply.message)))
      case "fault":
        return failed(withReason(output.text, reply.reason))
      case "given-up":
        return failed(
          withReason(output.text, signal.aborted ? "it was cancelled" : `no answer in ${this.#ms / 1000} s`),
        )
      case "result":
        break
    }
    const last = resultText(reply.value)
    if (last !== undefined) output.push(last)
    const { text } = output
    return hasError && !hasOutput && last === undefined ? failed(text) : { kind: "output", text }
  }
}

/** A string, or the `output` of an object. */
function resultText(result: JsonValue): string | undefined {
  if (typeof result === "string") return result
  const output = isJsonObject(result) ? result["output"] : undefined
  return typeof output === "string" ? output : undefined
}

function withReason(output: string, reason: string): string {
  return output === "" ? reason : `${output}\n${reason}`
}
