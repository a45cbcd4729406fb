// Quick replies: suggestions for the visitor's next message, which the model writes in a tagged line of JSON at the end
// of its answer. The line is neither shown nor stored; text that may still become one is held back.
const OPEN_TAG = "<quick-replies>"
const CLOSE_TAG = "</quick-replies>"
const MAX_REPLIES = 4
const MAX_REPLY_LENGTH = 200

export const quickReplyInstruction = [
  "If you can guess what the visitor may want to say next, end your answer with one line of this form:",
  `${OPEN_TAG}["First reply", "Second reply"]${CLOSE_TAG}`,
  `It is a JSON list of at most ${MAX_REPLIES} short texts in the visitor's words. It is shown as buttons; do not speak of it.`,
].join("\n")

export class QuickReplies {
  #held = ""
  #proposed: string[] = []

  /** Takes a piece of the answer and returns what can be shown. */
  push(piece: string): string {
    this.#held += piece
    let shown = ""
    for (;;) {
      const start = this.#held.indexOf(OPEN_TAG)
      if (start === -1) return shown + this.#release(shownLength(this.#held))
      shown += this.#release(start).trimEnd()
      const end = this.#held.indexOf(CLOSE_TAG)
      if (end === -1) return shown
      this.#proposed = readReplies(this.#held.slice(OPEN_TAG.length, end))
      this.#held = this.#held.slice(end + CLOSE_TAG.length)
    }
  }

  /** The text that was held back, unless it is an unfinished line. */
  end(): string {
    const rest = this.#held
    this.#held = ""
    return rest.startsWith(OPEN_TAG) ? "" : rest
  }

  get proposed(): string[] {
    return this.#proposed
  }

  #release(length: number): string {
    const released = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return released
  }
}

/** Characters that cannot be part of the line, whatever follows. The tag contains its first character only once. */
function shownLength(text: string): number {
  const start = text.lastIndexOf("<")
  const isOpen = start !== -1 && OPEN_TAG.startsWith(text.slice(start))
  return (isOpen ? text.slice(0, start) : text).trimEnd().length
}

function readReplies(text: string): string[] {
  try {
    const read: unknown = JSON.parse(text)
    const replies = Array.isArray(read)
      ? read.flatMap((reply: unknown) => (typeof reply === "string" ? [reply.trim()] : []))
      : []
    return replies.filter((reply) => reply !== "" && reply.length <= MAX_REPLY_LENGTH).slice(0, MAX_REPLIES)
  } catch {
    return []
  }
}
