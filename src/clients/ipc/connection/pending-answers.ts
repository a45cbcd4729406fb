// Requests that wait for their answer. The protocol has no request ids, and most answers go to every viewer: an answer
// is recognised by its type and content, and the oldest matching request takes it.
import type { AgentMessage } from "../../../protocols/ipc/frames.ts"
import { PendingRequests } from "../../base/pending-requests.ts"
import { IpcDenied, IpcTimeout } from "../faults.ts"
import { defaultAskMs, type AskOptions } from "../options.ts"

export interface Expected<Answer> {
  /** The type of the request message. */
  readonly command: string
  /** Undefined when the message is not the answer. */
  readonly answer: (message: AgentMessage) => Answer | undefined
  /** The beginning of an error that refers to this request. */
  readonly errorPrefix?: string
}

interface Matcher {
  readonly matches: (message: AgentMessage) => boolean
}

export class PendingAnswers {
  readonly #pending = new PendingRequests<Matcher, AgentMessage>((command, ms) => new IpcTimeout(command, ms))

  wait<Answer>(expected: Expected<Answer>, { timeoutMs = defaultAskMs, signal }: AskOptions = {}): Promise<Answer> {
    const matches = (message: AgentMessage) => expected.answer(message) !== undefined || isErrorOf(expected, message)
    const read = (message: AgentMessage) => {
      const answer = expected.answer(message)
      if (answer !== undefined) return answer
      throw new IpcDenied(expected.command, message.type === "error" ? message.message : message.type)
    }
    return this.#pending.wait({ matches }, { name: expected.command, read, timeoutMs, signal })
  }

  receive(message: AgentMessage): void {
    for (const key of this.#pending.keys) if (key.matches(message)) return void this.#pending.answer(key, message)
  }

  rejectAll(fault: Error): void {
    this.#pending.rejectAll(() => fault)
  }
}

function isErrorOf({ command, errorPrefix }: Expected<unknown>, message: AgentMessage): boolean {
  if (message.type !== "error") return false
  return message.message.includes(command) || (errorPrefix !== undefined && message.message.startsWith(errorPrefix))
}
