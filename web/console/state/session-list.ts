// The sessions of the home: the part of the list that is shown, and what waits for a person. Read again while the page is
// visible: after what this page does, and every few seconds.
import { batch, signal, type ReadonlySignal } from "@preact/signals"
import type { SessionId } from "../../../src/contract/ids.ts"
import type { Refusal } from "../../../src/contract/refusals.ts"
import type { OpenRequest } from "../../../src/contract/views/host.ts"
import type { FoundSessions, SessionPage } from "../../../src/contract/views/session-lists.ts"
import type { SessionLine } from "../../../src/contract/views/status.ts"
import { rowOf, type SessionRow } from "../../../src/display/session-rows.ts"
import { isAway, type Access } from "./connection.ts"

const REFRESH_MS = 2000
/** A list that takes long to make is read less often. */
const SHARE = 10
/** Rows that are read together, and the step by which their beginning moves. */
const PAGE_ROWS = 100
const PAGE_STEP = 25
/** Sessions of requests whose lines are read. */
const MAX_LINES = 200
/** Sessions that a search in texts shows. */
const MAX_FOUND = 30

/** What was found in the texts of sessions. */
export interface FoundTexts extends FoundSessions {
  readonly text: string
}

/** The part of the list that was read last. */
export interface ShownPage {
  readonly filter: string
  readonly total: number
  readonly matching: number
  readonly offset: number
  readonly version: string
  readonly rows: readonly SessionRow[]
}

export class SessionList {
  readonly #page = signal<ShownPage | undefined>(undefined)
  readonly #recent = signal<readonly SessionLine[]>([])
  readonly #requests = signal<readonly OpenRequest[]>([])
  readonly #requestLines = signal<ReadonlyMap<SessionId, SessionLine>>(new Map())
  readonly #found = signal<FoundTexts | undefined>(undefined)
  readonly #problem = signal<Refusal | undefined>(undefined)
  readonly #port: Access["port"]
  readonly #isRead = signal(false)
  #wanted = { filter: "", offset: 0 }
  #searched = ""
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #reading: Promise<void> | undefined

  constructor({ port }: Access) {
    this.#port = port
    document.addEventListener("visibilitychange", this.#onVisible)
    void this.#follow()
  }

  /** Undefined until it was read for the first time. */
  get page(): ReadonlySignal<ShownPage | undefined> {
    return this.#page
  }

  /** The first sessions of the list without a filter. */
  get recent(): ReadonlySignal<readonly SessionLine[]> {
    return this.#recent
  }

  /** Whether the requests were read. */
  get isRead(): ReadonlySignal<boolean> {
    return this.#isRead
  }

  /** Requests for approval and escalations of all sessions. */
  get requests(): ReadonlySignal<readonly OpenRequest[]> {
    return this.#requests
  }

  /** The sessions of these requests. */
  get requestLines(): ReadonlySignal<ReadonlyMap<SessionId, SessionLine>> {
    return this.#requestLines
  }

  /** Of the newest search in texts. */
  get found(): ReadonlySignal<FoundTexts | undefined> {
    return this.#found
  }

  get problem(): ReadonlySignal<Refusal | undefined> {
    return this.#problem
  }

  /** Resolves when the list is not older than this call. */
  async refresh(): Promise<void> {
    await this.#reading // it began before this call
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    await this.#reading
  }

  /** Resolves with the part of the list that has the row `first`, of the sessions that match. */
  async show(filter: string, first = 0): Promise<ShownPage | undefined> {
    const offset = Math.max(0, Math.floor(first / PAGE_STEP) * PAGE_STEP - PAGE_STEP)
    const isNew = filter !== this.#wanted.filter || offset !== this.#wanted.offset
    this.#wanted = { filter, offset }
    if (isNew || this.#page.value?.filter !== filter) await this.#readPage()
    const page = this.#page.value
    return page?.filter === filter ? page : undefined
  }

  /** Searches the texts of all sessions. An empty text ends the search. */
  async find(text: string): Promise<void> {
    this.#searched = text
    if (text === "") this.#found.value = undefined
    else await this.#find(text)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    document.removeEventListener("visibilitychange", this.#onVisible)
  }

  readonly #onVisible = (): void => {
    if (document.visibilityState === "visible") void this.#follow()
  }

  async #follow(): Promise<void> {
    clearTimeout(this.#timer)
    const start = performance.now()
    await this.refresh()
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#follow(), Math.max(REFRESH_MS, SHARE * (performance.now() - start)))
  }

  /** Again while the server still reads the texts of sessions, which it does once. */
  async #find(text: string): Promise<void> {
    for (;;) {
      const found = await this.#port.query({ type: "search-sessions", text, limit: MAX_FOUND })
      if (this.#isClosed || this.#searched !== text) return
      this.#found.value = { text, ...(found.kind === "answer" ? found.value : { sessions: [], behind: 0 }) }
      if (this.#found.value.behind === 0) return
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS))
      if (this.#isClosed || this.#searched !== text) return
    }
  }

  async #read(): Promise<void> {
    await Promise.all([this.#readPage(), this.#readRequests()])
  }

  async #readPage(): Promise<void> {
    const wanted = this.#wanted
    const { filter, offset } = wanted
    const shown = this.#page.value
    const isSame = shown?.filter === filter && shown.offset === offset
    const known = isSame ? { known: shown.version } : {}
    const answered = await this.#port.query({ type: "session-page", filter, offset, limit: PAGE_ROWS, ...known })
    if (this.#isClosed || wanted !== this.#wanted) return // another part is wanted meanwhile
    if (answered.kind === "refused" && isAway(answered.refusal)) return
    batch(() => {
      this.#problem.value = answered.kind === "refused" ? answered.refusal : undefined
      if (answered.kind === "answer") this.#take(filter, answered.value)
    })
  }

  #take(filter: string, { rows, ...page }: SessionPage): void {
    if (rows === undefined) return // it is shown already
    this.#page.value = { ...page, filter, rows: rows.map(({ line, depth }) => rowOf(line, depth)) }
    if (filter === "" && page.offset === 0) this.#recent.value = rows.map(({ line }) => line)
  }

  async #readRequests(): Promise<void> {
    const requests = await this.#port.query({ type: "approvals" })
    if (this.#isClosed || requests.kind === "refused") return
    const sessionIds = [...new Set(requests.value.map(({ sessionId }) => sessionId))].slice(0, MAX_LINES)
    const lines = sessionIds.length === 0 ? undefined : await this.#port.query({ type: "session-lines", sessionIds })
    if (this.#isClosed) return
    batch(() => {
      this.#isRead.value = true
      this.#requests.value = requests.value
      if (lines?.kind === "answer")
        this.#requestLines.value = new Map(lines.value.map((line) => [line.sessionId, line]))
    })
  }
}
