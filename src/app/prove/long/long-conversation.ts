// One conversation with a host: a client sends messages, lets others join running turns and asks for summaries, until the
// model has said enough. Then the requests of its model are compared with the log.
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { SessionCommand } from "../../../contract/commands.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import { accepted, messageOf } from "../../app-fault.ts"
import { checkHistory, eventsOf } from "../crash/check-history.ts"
import type { DoorMemory } from "../crash/doors/door-client.ts"
import { reachHost, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { SessionRecord } from "../crash/session-record.ts"
import type { Report } from "../violation.ts"
import { checkRequests } from "./check-requests.ts"
import type { LongModel } from "./long-model.ts"

export interface ConversationOptions {
  readonly home: LaneHome
  readonly kind: LaneKind
  readonly host: Started
  readonly memory: DoorMemory
  readonly model: LongModel
  readonly below: (below: number) => number
  /** Tokens that it takes at least. */
  readonly tokens: number
  readonly report: Report
  readonly signal: AbortSignal
}

const PATIENCE_MS = 60_000
/** Of the tokens: the first turn, and each of the others. */
const FIRST_SHARE = 0.7
const LATER_SHARE = 0.06
/** Messages that join one turn: all of them stay in its requests as they are. */
const MAX_STEERED = 8

export class LongConversation {
  /** Those that belong to the context, and were found there. */
  events = 0
  longestTurn = 0
  turns = 0
  compactions = 0
  readonly #options: ConversationOptions
  readonly #over = Promise.withResolvers<void>()
  #isOver = false
  #client: HouseClient | undefined
  #record: SessionRecord | undefined
  #stuck: NodeJS.Timeout | undefined
  /** Commands that are under way. */
  #sending = 0
  /** The event of the newest command. */
  #sentAt = 0
  #prompts = 0
  #turnStart = 0
  /** Messages that joined the turn. */
  #steered = 0
  #hasClosed = false

  constructor(options: ConversationOptions) {
    this.#options = options
    options.signal.addEventListener("abort", () => this.#end(), { once: true })
  }

  async hold(): Promise<void> {
    const { home, kind, host, memory, report, signal } = this.#options
    this.#stuck = setTimeout(() => this.#fail(`nothing happened for ${PATIENCE_MS / 1000} s`), PATIENCE_MS)
    try {
      this.#client = await reachHost(kind, home, host, () => this.#isOver)
      if (this.#client === undefined) return
      const sessionId = await kind.create(home, host, this.#client, memory)
      const record = new SessionRecord(sessionId, report)
      this.#record = record
      const { handle } = accepted(await this.#client.open(sessionId))
      await handle.watch(0, (item) => this.#take(record, item))
      this.#act()
      await this.#over.promise
      if (!signal.aborted) await this.#check(record)
    } catch (fault) {
      this.#fail(messageOf(fault))
    } finally {
      this.#end()
      this.#client?.close()
    }
  }

  /** Sends a message that joins the running turn. */
  steer(): void {
    this.#steered += 1
    if (this.#steered > MAX_STEERED) return
    this.#prompt("steer").catch((fault: unknown) => this.#fail(messageOf(fault)))
  }

  async #check(record: SessionRecord): Promise<void> {
    const { home, model, report } = this.#options
    await record.compare(home.log)
    checkHistory(record.stored, report)
    this.events = checkRequests(model.requests, record.stored, report)
    this.turns = eventsOf(record.stored, "turn.ended").length
    this.compactions = eventsOf(record.stored, "context.compacted").filter(({ summary }) => summary !== "").length
  }

  #take(record: SessionRecord, item: WatchItem): void {
    if (item.kind === "lost" || this.#isOver) return
    record.take(item)
    this.#stuck?.refresh()
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (event.type === "turn.started") this.#startTurn()
    if (event.type === "turn.ended") this.#endTurn(event)
    if (event.type === "compaction.failed") this.#fail(`a compaction failed: ${event.error}`)
    this.#act()
  }

  #startTurn(): void {
    this.#turnStart = this.#options.model.spent
    this.#steered = 0
  }

  #endTurn({ reason, error }: { readonly reason: string; readonly error?: string | undefined }): void {
    if (reason !== "done") this.#fail(`a turn ended as ${reason}: ${error ?? "no error"}`)
    this.longestTurn = Math.max(this.longestTurn, this.#options.model.spent - this.#turnStart)
  }

  /** The next command, when the session is at rest. */
  #act(): void {
    const { model, tokens, below } = this.#options
    const { state, cursor = 0 } = this.#record ?? {}
    if (this.#isOver || state === undefined || this.#sending > 0 || cursor < this.#sentAt) return
    if (state.turn !== undefined || state.waiting.length > 0 || state.compaction !== undefined) return
    if (this.#hasClosed) return this.#end()
    this.#hasClosed = model.spent >= tokens // the last request has to have what was stored before
    const share = this.#prompts === 0 ? FIRST_SHARE : LATER_SHARE
    model.turnEnd = this.#hasClosed ? 0 : Math.min(tokens, model.spent + tokens * share)
    const isCompacted = !this.#hasClosed && this.#prompts > 0 && below(3) === 0
    const sent = isCompacted ? this.#send({ type: "compact" }) : this.#prompt("wait")
    sent.catch((fault: unknown) => this.#fail(messageOf(fault)))
  }

  #prompt(ifBusy: "wait" | "steer"): Promise<void> {
    const { model, below } = this.#options
    this.#prompts += 1
    const text = model.answers.newText("p", 40 + below(400))
    const attachments = ifBusy === "wait" && below(2) === 0 ? [this.#newFile()] : []
    return this.#send({ type: "prompt", promptId: `prm_${this.#prompts}`, text, attachments, ifBusy })
  }

  #newFile() {
    const { model, below } = this.#options
    const text = model.answers.newText("f", 200 + below(3000))
    return { name: "notes.txt", mediaType: "text/plain", data: Buffer.from(text).toString("base64") }
  }

  async #send(command: SessionCommand): Promise<void> {
    const { sessionId = "" } = this.#record ?? {}
    this.#sending += 1
    try {
      const sent = await this.#client?.send(sessionId, command)
      if (sent?.kind === "accepted") this.#sentAt = Math.max(this.#sentAt, sent.seq)
      else this.#fail(`a command of type ${command.type} was refused`)
    } finally {
      this.#sending -= 1
    }
    this.#act()
  }

  #fail(what: string): void {
    if (this.#isOver) return
    this.#options.report("broken", this.#record?.shown.at(-1)?.event.type ?? "none", what)
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#stuck)
    this.#over.resolve()
  }
}
