// The tool calls of a chat completion, where the server names id and name with the first piece of a call and the index
// with every piece. Other ways of telling pieces of calls apart are left to the provider's package.
import type { Part } from "./event-mapper.ts"
import type { ChatCallDelta } from "./chat-events.ts"

interface Call {
  readonly index: number
  readonly id: string
  readonly name: string
  input: string
}

export class ChatCalls {
  readonly #byIndex = new Map<number, Call>()
  readonly #ids = new Set<string>()

  /** False if it is not clear which call is meant. */
  accept(delta: ChatCallDelta, parts: Part[]): boolean {
    const call = this.#byIndex.get(delta.index)
    return call === undefined ? this.#begin(delta, parts) : continueCall(call, delta, parts)
  }

  /** The calls as a whole, at the end of the answer: a server may send more of any of them until then. */
  end(parts: Part[]): void {
    const calls = [...this.#byIndex.values()].toSorted((one, other) => one.index - other.index)
    for (const { id, name, input } of calls) {
      parts.push({ type: "tool-input-end", id })
      parts.push({ type: "tool-call", toolCallId: id, toolName: name, input })
    }
  }

  #begin({ index, id, function: { name, arguments: input } }: ChatCallDelta, parts: Part[]): boolean {
    const [callId, toolName] = [nonBlank(id), nonBlank(name)]
    if (callId === undefined || toolName === undefined || this.#ids.has(callId)) return false
    this.#ids.add(callId)
    this.#byIndex.set(index, { index, id: callId, name: toolName, input: input ?? "" })
    parts.push({ type: "tool-input-start", id: callId, toolName })
    if (input) parts.push({ type: "tool-input-delta", id: callId, delta: input })
    return true
  }
}

function continueCall(call: Call, { id, function: { name, arguments: input } }: ChatCallDelta, parts: Part[]): boolean {
  if (nonBlank(name) !== undefined || (nonBlank(id) ?? call.id) !== call.id) return false
  if (input === undefined || input === null) return true
  call.input += input
  parts.push({ type: "tool-input-delta", id: call.id, delta: input })
  return true
}

function nonBlank(text: string | null | undefined): string | undefined {
  return text === undefined || text === null || text.trim() === "" ? undefined : text
}
