// The newest messages and text, up to a number and a length. Times are milliseconds, also from agents that send seconds. Pure.
import type { DisplayMessage } from "../../../protocols/ipc/frames.ts"

export interface Messages {
  readonly messages: readonly DisplayMessage[]
  /** Older ones were dropped. */
  readonly hasEarlier: boolean
}

const MAX_MESSAGES = 10_000
const MAX_CHARACTERS = 64 * 1024 * 1024
/** Below: seconds. Above: milliseconds. */
const MIN_MILLISECONDS = 1e11

export const noMessages: Messages = { messages: [], hasEarlier: false }

export function newestOf(messages: readonly DisplayMessage[]): Messages {
  const from = Math.max(0, messages.length - MAX_MESSAGES, firstThatFits(messages))
  return { messages: messages.slice(from).map(inMilliseconds), hasEarlier: from > 0 }
}

export function addMessage({ messages, hasEarlier }: Messages, message: DisplayMessage): Messages {
  const newest = newestOf([...messages, message])
  return { messages: newest.messages, hasEarlier: hasEarlier || newest.hasEarlier }
}

function firstThatFits(messages: readonly DisplayMessage[]): number {
  let characters = 0
  return messages.findLastIndex(({ content }) => (characters += content.length) > MAX_CHARACTERS) + 1
}

function inMilliseconds(message: DisplayMessage): DisplayMessage {
  if (Math.abs(message.created_at) >= MIN_MILLISECONDS) return message
  return { ...message, created_at: message.created_at * 1000 }
}

/** Characters of a text that are kept; of a longer one its end. */
const MAX_TEXT = 16 * 1024 * 1024

export function appendText(text: string, piece: string): string {
  return (text + piece).slice(-MAX_TEXT)
}
