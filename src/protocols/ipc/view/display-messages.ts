// Messages as a viewer lists them, and as many of the newest as one frame can carry.
import type { DisplayMessage } from "../frames.ts"
import type { TranscriptItem, UserEntry } from "../../../projection/transcript.ts"

/** Of one list, in bytes of JSON: half of what a reader of this wire takes in one line. */
const mostBytes = 8 * 1024 * 1024
const mostBytesPerUnit = 6
const frameBytes = 80
/** How much shorter than the limit a message is cut: its letters need not all take the same number of bytes. */
const cutShare = 0.9

/** What stands in the list; nothing for what is told otherwise, or not yet. */
export function displayed(item: TranscriptItem): DisplayMessage | undefined {
  switch (item.kind) {
    case "user":
      return item.state === "waiting" ? undefined : { role: "user", content: userText(item), created_at: item.at }
    case "assistant":
      return item.text === "" ? undefined : { role: "assistant", content: item.text, created_at: item.at }
    case "notice":
      return { role: "system", content: item.text, created_at: item.at }
    case "call":
      return undefined
  }
}

function userText({ text, attachments }: UserEntry): string {
  return text === "" ? `[${attachments.map(({ name }) => name).join(", ")}]` : text
}

/** The newest that fit; where older ones are left out, it says so. The newest of all is cut rather than left out. */
export function newestMessages(all: readonly DisplayMessage[], areMoreBefore: boolean): DisplayMessage[] {
  const newest = all.at(-1)
  const fitting = all.slice(firstThatFits(all))
  const shown = fitting.length === 0 && newest !== undefined ? [cutToFit(newest)] : fitting
  const created_at = shown[0]?.created_at ?? 0
  const isCut = areMoreBefore || shown.length < all.length
  return isCut ? [{ role: "system", content: "Earlier messages are not shown.", created_at }, ...shown] : shown
}

function cutToFit(message: DisplayMessage): DisplayMessage {
  const cut = cutMessage(message, (cutShare * mostBytes) / jsonBytes(message))
  return jsonBytes(cut) <= mostBytes ? cut : cutToFit(cut)
}

/** The beginning of a message, and how much of it is missing. `share` is below 1. */
export function cutMessage(message: DisplayMessage, share: number): DisplayMessage {
  const { content } = message
  const kept = Math.floor(content.length * share)
  const notice = `\n[${content.length - kept} more characters are not shown here]`
  return { ...message, content: content.slice(0, kept).toWellFormed() + notice }
}

function jsonBytes({ content }: DisplayMessage): number {
  return Buffer.byteLength(JSON.stringify(content)) + frameBytes
}

function firstThatFits(all: readonly DisplayMessage[]): number {
  const units = all.reduce((sum, { content }) => sum + content.length + frameBytes, 0)
  if (units * mostBytesPerUnit <= mostBytes) return 0 // whatever the letters are
  let left = mostBytes
  return all.findLastIndex((message) => (left -= jsonBytes(message)) < 0) + 1
}
