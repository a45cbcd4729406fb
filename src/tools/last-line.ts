// The newest line of a running command, told a few times a second at most. Only whole lines are told: whoever takes
// secrets out afterwards would not know half of one. The last word is always told.
import { stripVTControlCharacters } from "node:util"

const intervalMs = 250
/** A longer line is not told. */
const longestLine = 4096
const lineFeed = 10
const carriageReturn = 13

export class LastLine {
  readonly #tell: (line: string) => void
  /** The beginning of a line that goes on in the next chunk. */
  #open = Buffer.alloc(0)
  #line = ""
  #toldAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (line: string) => void) {
    this.#tell = tell
  }

  push(chunk: Uint8Array): void {
    const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn))
    const whole = end < 0 ? undefined : newestLine(Buffer.concat([this.#open, chunk.subarray(0, end)]))
    const before = end < 0 ? this.#open : Buffer.alloc(0)
    this.#open = Buffer.concat([before, chunk.subarray(end + 1)]).subarray(-longestLine - 1)
    if (whole === undefined) return
    this.#line = stripVTControlCharacters(whole)
    const wait = this.#toldAt + intervalMs - performance.now()
    if (wait <= 0) this.#tellNow()
    else this.#timer ??= setTimeout(() => this.#tellNow(), wait)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #tellNow(): void {
    this.stop()
    this.#toldAt = performance.now()
    this.#tell(this.#line)
  }
}

function newestLine(done: Buffer): string | undefined {
  const lines = done
    .subarray(-longestLine)
    .toString("utf8")
    .split(/[\r\n]+/)
  if (done.length > longestLine) lines.shift() // its beginning is missing
  return lines.findLast((line) => line.trim() !== "")
}
