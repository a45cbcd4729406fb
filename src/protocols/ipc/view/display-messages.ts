// Messages as a viewer lists them, and as many of the newest as one frame can carry.
import type { TranscriptItem, UserEntry } from "../../../projection/transcript.ts"
import type { DisplayMessage } from "../frames.ts"
import { frameLimits } from "../limits.ts"

const MAX_BYTES_PER_UNIT = 6
const FRAME_BYTES = 80
/** A message is cut shorter than the limit, because its characters differ in bytes. */
const CUT_SHARE = 0.9
const { listBytes: MAX_BYTES } = frameLimits

/** Undefined for an item that is not listed, or not yet. */
export function displayMessage(item: TranscriptItem): DisplayMessage | undefined {
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

/** The newest that fit, after a notice if older ones are left out. The newest of all is shortened if necessary. */
export function newestMessages(all: readonly DisplayMessage[], hasEarlier: boolean): DisplayMessage[] {
  const newest = all.at(-1)
  const fitting = all.slice(firstFitting(all))
  const shown = fitting.length === 0 && newest !== undefined ? [shortenToFit(newest)] : fitting
  const created_at = shown[0]?.created_at ?? 0
  const isCut = hasEarlier || shown.length < all.length
  return isCut ? [{ role: "system", content: "Earlier messages are not shown.", created_at }, ...shown] : shown
}

function shortenToFit(message: DisplayMessage): DisplayMessage {
  const cut = shortenMessage(message, (CUT_SHARE * MAX_BYTES) / jsonBytes(message))
  return jsonBytes(cut) <= MAX_BYTES ? cut : shortenToFit(cut)
}

/** The beginning of a message, and how much of it is left out. `share` is below 1. */
export function shortenMessage(message: DisplayMessage, share: number): DisplayMessage {
  const { content } = message
  const kept = Math.floor(content.length * share)
  const notice = `\n[${content.length - kept} more characters are not shown here]`
  return { ...message, content: content.slice(0, kept).toWellFormed() + notice }
}

function jsonBytes({ content }: DisplayMessage): number {
  return Buffer.byteLength(JSON.stringify(content)) + FRAME_BYTES
}

function firstFitting(all: readonly DisplayMessage[]): number {
  const units = all.reduce((sum, { content }) => sum + content.length + FRAME_BYTES, 0)
  if (units * MAX_BYTES_PER_UNIT <= MAX_BYTES) return 0 // whatever the characters are
  let left = MAX_BYTES
  return all.findLastIndex((message) => (left -= jsonBytes(message)) < 0) + 1
}
