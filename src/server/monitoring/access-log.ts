// The access log, one line per entry: JSON, or a short line on a terminal. It contains no message content and no query
// strings.
import { oneLine } from "../../contract/text/text.ts"

export interface AccessEntry {
  readonly event: "request" | "connected" | "action" | "closed" | "warning" | "fenced" | "rejoined"
  readonly principal?: string | undefined
  readonly connection?: string
  readonly requestId?: string | undefined
  readonly method?: string
  readonly path?: string
  readonly action?: string
  /** HTTP status, error code of the protocol, or `ok`. */
  readonly outcome?: number | string
  readonly ms?: number
  readonly message?: string
}

const MAX_ID_LENGTH = 100
/** Written also when quiet. */
const important: ReadonlySet<AccessEntry["event"]> = new Set(["warning", "fenced", "rejoined"])

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

  write(entry: AccessEntry): void {
    if (this.#isQuiet && !important.has(entry.event)) return
    const time = new Date(this.#now()).toISOString()
    const { requestId, principal } = entry
    const bounded = { ...entry, ...this.#shortened("requestId", requestId), ...this.#shortened("principal", principal) }
    this.#lines.push(
      this.#isTerminal ? shortLine(time, bounded, this.#scrub) : this.#scrub(JSON.stringify({ time, ...bounded })),
    )
    if (this.#lines.length === 1) setImmediate(() => this.flush()) // one write for all entries of a tick
  }

  flush(): void {
    if (this.#lines.length === 0) return
    const text = `${this.#lines.join("\n")}\n`
    this.#lines = []
    this.#stream.write(text)
  }

  /** Chosen by clients. Redacted before the cut, or the first half of a secret would remain. */
  #shortened(name: "requestId" | "principal", text: string | undefined): Partial<AccessEntry> {
    if (text === undefined || text.length <= MAX_ID_LENGTH) return {}
    return { [name]: this.#scrub(text).slice(0, MAX_ID_LENGTH).toWellFormed() }
  }
}

function shortLine(time: string, entry: AccessEntry, scrub: (text: string) => string): string {
  const { event, principal, connection, requestId, method, path, action, outcome, ms, message } = entry
  const parts = [time.slice(11, 19), connection, principal, method, path, action ?? event, requestId, outcome, message]
  const duration = ms === undefined ? [] : [`${Math.round(ms)} ms`]
  return oneLine(scrub([...parts.filter((part) => part !== undefined), ...duration].join(" ")), 200)
}
