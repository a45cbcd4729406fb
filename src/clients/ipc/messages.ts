// The messages that a viewer keeps: the newest, up to a number and a length. Times are milliseconds, also when an agent
// tells seconds. Pure.
import type { DisplayMessage } from "../../protocols/ipc/frames.ts"

export interface Messages {
  readonly messages: readonly DisplayMessage[]
  /** Older ones were let go. */
  readonly hasEarlier: boolean
}

const mostMessages = 10_000
const mostCharacters = 64 * 1024 * 1024
/** No time in milliseconds that a conversation can have is less, and no time in seconds is more. */
const leastMilliseconds = 1e11

export const noMessages: Messages = { messages: [], hasEarlier: false }

export function kept(messages: readonly DisplayMessage[]): Messages {
  const from = Math.max(messages.length - mostMessages, firstThatFits(messages))
  return { messages: messages.slice(from).map(inMilliseconds), hasEarlier: from > 0 }
}

export function added({ messages, hasEarlier }: Messages, message: DisplayMessage): Messages {
  const next = [...messages, inMilliseconds(message)]
  const from = Math.max(next.length - mostMessages, firstThatFits(next))
  return { messages: from > 0 ? next.slice(from) : next, hasEarlier: hasEarlier || from > 0 }
}

function firstThatFits(messages: readonly DisplayMessage[]): number {
  let characters = 0
  return messages.findLastIndex(({ content }) => (characters += content.length) > mostCharacters) + 1
}

function inMilliseconds(message: DisplayMessage): DisplayMessage {
  if (Math.abs(message.created_at) >= leastMilliseconds) return message
  return { ...message, created_at: message.created_at * 1000 }
}
