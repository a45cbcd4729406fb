// Answers that are waited for. This protocol has no ids of requests, and most answers go to every viewer: an answer is
// known by its type and its content, and the oldest who waits for such a one takes it. Each wait is settled exactly
// once: by the answer, by an error that speaks of it, by its time limit, its caller's signal, or the loss of the agent.
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import { IpcDenied, IpcTimeout } from "./faults.ts"
import { defaultAskMs, type AskOptions } from "./options.ts"

export interface Expected<Answer> {
  /** The type of the message that asked. */
  readonly command: string
  /** Undefined when the message is no answer to it. */
  readonly answer: (message: AgentMessage) => Answer | undefined
  /** How an error begins that means this question. */
  readonly errors?: string
}

interface Waiting {
  /** Whether it took the message. */
  hear(message: AgentMessage): boolean
  reject(fault: Error): void
}

export class Expectations {
  readonly #waiting = new Set<Waiting>()

  async wait<Answer>(
    expected: Expected<Answer>,
    { timeoutMs = defaultAskMs, signal }: AskOptions = {},
  ): Promise<Answer> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const waiting: Waiting = { hear: (message) => settle(expected, message, resolve, reject), reject }
    this.#waiting.add(waiting)
    const late = () => reject(new IpcTimeout(expected.command, timeoutMs))
    const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined
    const given = () => reject(signal?.reason)
    signal?.addEventListener("abort", given, { once: true })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", given)
      this.#waiting.delete(waiting)
    }
  }

  hear(message: AgentMessage): void {
    for (const waiting of this.#waiting) {
      if (!waiting.hear(message)) continue
      this.#waiting.delete(waiting)
      return
    }
  }

  fail(fault: Error): void {
    for (const waiting of this.#waiting) waiting.reject(fault)
  }
}

function settle<Answer>(
  expected: Expected<Answer>,
  message: AgentMessage,
  resolve: (answer: Answer) => void,
  reject: (fault: Error) => void,
): boolean {
  const answer = expected.answer(message)
  if (answer !== undefined) {
    resolve(answer)
    return true
  }
  if (message.type !== "error" || !speaksOf(expected, message.message)) return false
  reject(new IpcDenied(expected.command, message.message))
  return true
}

function speaksOf({ command, errors }: Expected<unknown>, message: string): boolean {
  return message.includes(command) || (errors !== undefined && message.startsWith(errors))
}
