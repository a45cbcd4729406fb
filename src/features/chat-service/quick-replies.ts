// Quick replies: what a visitor might say next, proposed by the model in a tagged line of JSON at the end of its answer.
// The line is held back from what is shown and stored, and so is anything that may still become one: blanks, and the
// beginning of the tag. A line that cannot be read is dropped.
const open = "<quick-replies>"
const close = "</quick-replies>"
const most = 4
const longest = 200

export const quickReplyInstruction = [
  "If you can guess what the visitor may want to say next, end your answer with one line of this form:",
  `${open}["First reply", "Second reply"]${close}`,
  `It is a JSON list of at most ${most} short texts in the visitor's words. It is shown as buttons; do not speak of it.`,
].join("\n")

export class QuickReplies {
  #held = ""
  #proposed: string[] = []

  /** Takes a piece of the answer and gives back what can be shown. */
  push(piece: string): string {
    this.#held += piece
    let shown = ""
    for (;;) {
      const begin = this.#held.indexOf(open)
      if (begin === -1) return shown + this.#release(shownLength(this.#held))
      shown += this.#release(begin).trimEnd()
      const end = this.#held.indexOf(close)
      if (end === -1) return shown
      this.#proposed = readReplies(this.#held.slice(open.length, end))
      this.#held = this.#held.slice(end + close.length)
    }
  }

  /** What was held back and is no such line after all. */
  end(): string {
    const rest = this.#held
    this.#held = ""
    return rest.startsWith(open) ? "" : rest
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

/** How much of a text cannot be part of the line, whatever comes next. The tag has its first character only once. */
function shownLength(text: string): number {
  const begin = text.lastIndexOf("<")
  const isOpen = begin !== -1 && open.startsWith(text.slice(begin))
  return (isOpen ? text.slice(0, begin) : text).trimEnd().length
}

function readReplies(text: string): string[] {
  try {
    const read: unknown = JSON.parse(text)
    const replies = Array.isArray(read)
      ? read.flatMap((one: unknown) => (typeof one === "string" ? [one.trim()] : []))
      : []
    return replies.filter((one) => one !== "" && one.length <= longest).slice(0, most)
  } catch {
    return []
  }
}
