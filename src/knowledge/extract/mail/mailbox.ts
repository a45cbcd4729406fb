// A mailbox in the mbox format, streamed: one message after the other is in memory, and only its beginning if it is too long.
import { ExtractFault, extractLimits } from "../extract-limits.ts"

const NEW_LINE = 10
const start = Buffer.from("From ")
const MAX_LINE_BYTES = 1024 * 1024

/** The messages of a mailbox. A line that begins with `From ` after an empty one begins a message. */
export async function* messagesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = new MailboxReader()
  for await (const piece of pieces) yield* reader.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  yield* reader.end()
}

class MailboxReader {
  #rest: Buffer = Buffer.alloc(0)
  #lines: Buffer[] = []
  #bytes = 0
  #messages = 0
  #isAfterEmpty = true
  /** The rest of a line that was cut. */
  #isCut = false;

  *push(piece: Buffer): Generator<Buffer> {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    let from = 0
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, from)) {
      yield* this.#line(bytes.subarray(from, end + 1))
      from = end + 1
    }
    this.#rest = Buffer.from(bytes.subarray(from))
    if (this.#rest.length < MAX_LINE_BYTES) return
    yield* this.#line(this.#rest)
    this.#isCut = true
    this.#rest = Buffer.alloc(0)
  }

  *end(): Generator<Buffer> {
    if (this.#rest.length > 0) yield* this.#line(this.#rest)
    yield* this.#take()
  }

  *#line(line: Buffer): Generator<Buffer> {
    const isStart = this.#isAfterEmpty && !this.#isCut && line.subarray(0, start.length).equals(start)
    if (this.#messages === 0 && !isStart) throw new ExtractFault("it is not a mailbox: it does not begin with 'From '")
    this.#isAfterEmpty = !this.#isCut && /^\r?\n$/.test(line.toString("latin1", 0, 3))
    this.#isCut = false
    if (isStart) {
      yield* this.#take()
      this.#messages += 1
      if (this.#messages > extractLimits.messages)
        throw new ExtractFault(`it has more than ${extractLimits.messages} messages. Split it`)
    } else if (this.#bytes < extractLimits.messageBytes) {
      this.#bytes += line.length
      this.#lines.push(Buffer.from(unescaped(line)))
    }
  }

  *#take(): Generator<Buffer> {
    if (this.#lines.length > 0) yield Buffer.concat(this.#lines)
    this.#lines = []
    this.#bytes = 0
  }
}

/** Writers of mailboxes put a `>` before a line of the text that would begin a message. */
function unescaped(line: Buffer): Buffer {
  let marks = 0
  while (line[marks] === 62) marks += 1
  return marks > 0 && line.subarray(marks, marks + start.length).equals(start) ? line.subarray(1) : line
}
