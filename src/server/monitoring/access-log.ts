// What came in, one line each: JSON for programs, a few words for a person at a terminal. No line holds anything that
// was said, and none holds a query string.
import { oneLine } from "../../contract/printable.ts"

export interface AccessEntry {
  readonly event: "request" | "connected" | "action" | "closed" | "warning"
  readonly principal?: string | undefined
  readonly connection?: string
  readonly requestId?: string | undefined
  readonly method?: string
  readonly path?: string
  readonly action?: string
  /** A status of HTTP, a code of the wire, or `ok`. */
  readonly outcome?: number | string
  readonly ms?: number
  readonly message?: string
}

const longestId = 100

export class AccessLog {
  readonly #stream: NodeJS.WritableStream
  readonly #isTerminal: boolean
  readonly #isQuiet: boolean
  readonly #now: () => number
  readonly #scrub: (text: string) => string
  #lines: string[] = []

  constructor(
    stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
    isQuiet: boolean,
    now: () => number,
    scrub: (text: string) => string,
  ) {
    this.#stream = stream
    this.#isQuiet = isQuiet
    this.#isTerminal = stream.isTTY === true
    this.#now = now
    this.#scrub = scrub
  }

  /** Warnings are never kept quiet. */
  write(entry: AccessEntry): void {
    if (this.#isQuiet && entry.event !== "warning") return
    const time = new Date(this.#now()).toISOString()
    const { requestId, principal } = entry
    const noted = { ...entry, ...this.#shortened("requestId", requestId), ...this.#shortened("principal", principal) }
    this.#lines.push(
      this.#isTerminal ? shortLine(time, noted, this.#scrub) : this.#scrub(JSON.stringify({ time, ...noted })),
    )
    if (this.#lines.length === 1) setImmediate(() => this.flush()) // one write for all that came at once
  }

  flush(): void {
    if (this.#lines.length === 0) return
    const text = `${this.#lines.join("\n")}\n`
    this.#lines = []
    this.#stream.write(text)
  }

  /** Clients choose these. Scrubbed before the cut, or the first half of a secret would stay. */
  #shortened(name: "requestId" | "principal", text: string | undefined): Partial<AccessEntry> {
    if (text === undefined || text.length <= longestId) return {}
    return { [name]: this.#scrub(text).slice(0, longestId).toWellFormed() }
  }
}

function shortLine(time: string, entry: AccessEntry, scrub: (text: string) => string): string {
  const { event, principal, connection, requestId, method, path, action, outcome, ms, message } = entry
  const words = [time.slice(11, 19), connection, principal, method, path, action ?? event, requestId, outcome, message]
  const spent = ms === undefined ? [] : [`${Math.round(ms)} ms`]
  return oneLine(scrub([...words.filter((word) => word !== undefined), ...spent].join(" ")), 200)
}
