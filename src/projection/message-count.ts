// The number of messages of a conversation as visitors see it: theirs, and the reply of each ended turn. Stored with
// every append, so that listing conversations reads none of them.
import type { SessionEvent } from "../contract/events.ts"
import type { MessageCount } from "../contract/views/status.ts"

export const unknownCount: MessageCount = { count: undefined, reply: "none" }

export function foldMessageCount(messages: MessageCount, event: SessionEvent): MessageCount {
  switch (event.type) {
    case "session.created":
    case "context.cleared":
      return { count: 0, reply: "none" }
    case "context.rewound":
      return unknownCount
    case "prompt.promoted":
      return addMessages(withReply(messages), 1)
    case "step.started":
      if (messages.reply !== "cut off" || event.continues !== undefined) return messages
      return { ...messages, reply: "none" }
    case "text.ended":
      return { ...messages, reply: replyAfter(messages, event.text, event.interrupted === true) }
    case "turn.ended":
      return event.reason === "interrupted" || event.reason === "failed"
        ? { ...messages, reply: "none" }
        : withReply(messages)
    default:
      return messages
  }
}

/** Interrupted text may be continued, possibly with nothing left to say. */
function replyAfter({ reply }: MessageCount, text: string, isCutOff: boolean): MessageCount["reply"] {
  if (isCutOff) return "cut off"
  return text === "" && reply === "none" ? "none" : "whole"
}

function withReply(messages: MessageCount): MessageCount {
  return { ...addMessages(messages, messages.reply === "whole" ? 1 : 0), reply: "none" }
}

function addMessages({ count, reply }: MessageCount, more: number): MessageCount {
  return { count: count === undefined ? undefined : count + more, reply }
}
