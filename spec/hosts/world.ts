// One home with several sessions, clients and host processes for a random walk. It records what was sent, received and
// started; invariants.ts checks the records at the end.
import { setTimeout as sleep } from "node:timers/promises"
import type { SessionCommand } from "../../src/contract/commands.ts"
import type { SendOutcome } from "../../src/contract/host-port.ts"
import type { PromptId } from "../../src/contract/ids.ts"
import { limits } from "../../src/contract/limits.ts"
import type { Refusal } from "../../src/contract/refusals.ts"
import type { LiveHost } from "../../src/log/event-log.ts"
import { type SessionState } from "../../src/session/state.ts"
import { eventually } from "../e2e/eventually.ts"
import { stateOf } from "../e2e/history.ts"
import { eventsOf } from "../e2e/printed.ts"
import type { Running } from "../e2e/running.ts"
import { Client, type Watching } from "./client.ts"
import { signal, type HostedPlace } from "./hosted-place.ts"
import { configureNoting, effectsIn, longScript } from "./noting.ts"
import { openApprovals } from "../../src/features/approvals/state.ts"

export interface Sent {
  readonly sessionId: string
  readonly promptId: PromptId
  readonly outcome: Promise<SendOutcome>
}

/** A `turnhouse run` in a session that exists. */
export interface StartedRun {
  readonly sessionId: string
  readonly text: string
  readonly running: Running
}

/** Where trouble hurts: a model speaks, a call has had its effect and no receipt yet, a call was just allowed to begin. */
export type Moment = "any" | "speaking" | "noting" | "started"

const clientCount = 3
/** How long such a moment is waited for; it need not come. */
const momentMs = 4000
/** Attempts of a command whose outcome is unknown. */
const attempts = 10
const lookEveryMs = 100

export class World {
  readonly place: HostedPlace
  readonly sessions: string[] = []
  readonly sent: Sent[] = []
  readonly ran: StartedRun[] = []
  readonly watchings: Watching[] = []
  /** Commands about the host itself. */
  readonly replacing: Running[] = []
  readonly #model: string
  readonly #clients = new Map<number, Client>()
  readonly #pending: Promise<unknown>[] = []
  #count = 0
  #isFrozen = false

  constructor(place: HostedPlace) {
    this.place = place
    configureNoting(place, 0.2)
    this.#model = longScript(place)
  }

  async create(client: number): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const created = await this.#client(client).create(this.#model)
      if (created.kind === "opened") return void this.sessions.push(created.handle.sessionId)
      if (!isTransient(created.refusal) || attempt === attempts)
        throw new Error(`a session was not made: ${JSON.stringify(created.refusal)}`)
    }
  }

  /** Comes back at once; what becomes of it is kept. Sent more than once, it comes from different clients. */
  prompt(session: number, client: number, times: number): void {
    const sessionId = this.#session(session)
    this.#count += 1
    const promptId = `prm_${this.#count}` as const
    const command = { type: "prompt", promptId, text: `prompt ${this.#count}`, ifBusy: "wait" } as const
    for (let time = 0; time < times; time += 1)
      this.sent.push({ sessionId, promptId, outcome: this.#sendWithRetries(sessionId, client + time, command) })
  }

  interrupt(session: number, client: number): void {
    this.#pending.push(this.#sendWithRetries(this.#session(session), client, { type: "interrupt" }))
  }

  /** A person says yes to all that a session asks for. */
  async answer(session: number, client: number): Promise<void> {
    const sessionId = this.#session(session)
    this.#pending.push(...this.#answers(sessionId, client, stateOf(await this.place.stored(sessionId))))
  }

  /** From any event that is there. */
  async watch(session: number, client: number, cursor: number): Promise<void> {
    const sessionId = this.#session(session)
    const row = await this.place.directory.find(sessionId)
    const seq = row.kind === "ok" ? row.value.seq : 0
    this.watchings.push(await this.#client(client).watch(sessionId, cursor % (seq + 1)))
  }

  /** The client goes, with all that it watches, and hears no answer any more. */
  async leave(client: number): Promise<void> {
    const place = client % clientCount
    const gone = this.#clients.get(place)
    this.#clients.delete(place)
    await gone?.close()
  }

  run(session: number): void {
    this.#count += 1
    const text = `run ${this.#count}`
    const sessionId = this.#session(session)
    this.ran.push({ sessionId, text, running: this.place.start(["run", text, "--session", sessionId]) })
  }

  async moment(moment: Moment): Promise<void> {
    if (moment === "any") return
    const before = await this.#progress(moment)
    for (const deadline = Date.now() + momentMs; Date.now() < deadline; await sleep(5))
      if ((await this.#progress(moment)) > before) return
  }

  killRun(): void {
    this.ran.at(-1)?.running.signal("SIGKILL")
  }

  replaceHost(): void {
    this.replacing.push(this.place.start(["host", "--replace"]))
  }

  async signalHost(name: "SIGKILL" | "SIGTERM"): Promise<void> {
    const host = await this.place.host()
    if (host !== undefined) signal(host.pid, name)
  }

  /** Suspends a host for longer than its lease; the walk continues. One at a time: clients wait only so long. */
  async freezeHost(): Promise<void> {
    const host = await this.place.host()
    if (host === undefined || this.#isFrozen || !signal(host.pid, "SIGSTOP")) return
    this.#isFrozen = true
    this.#pending.push(this.#wake(host))
  }

  /** Until nothing is under way and nothing is left to do. One more watcher for each session sees it all. */
  async settle(): Promise<void> {
    await Promise.all([...this.#pending, ...this.sent.map(({ outcome }) => outcome)])
    for (const session of this.sessions.keys()) await this.watch(session, session, 0)
    const started = [...this.replacing, ...this.ran.map(({ running }) => running)]
    const ended = Promise.all(started.map((running) => running.ended)).then(() => true)
    for (let isOver = false; !isOver; isOver = await Promise.race([ended, sleep(lookEveryMs, false)]))
      await this.#untilIdle()
    await this.#untilIdle()
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await client.close()
    this.#clients.clear()
  }

  async #wake({ pid }: LiveHost): Promise<void> {
    await sleep(limits.leaseMs + 1500)
    signal(pid, "SIGCONT")
    this.#isFrozen = false
  }

  /** A number that grows when such a moment comes. */
  async #progress(moment: Moment): Promise<number> {
    if (moment === "noting") return effectsIn(this.place).length
    const counts = this.sessions.map(async (sessionId) => {
      if (moment === "started") return eventsOf(await this.place.stored(sessionId), "tool.started").length
      const loaded = await this.place.directory.load(sessionId)
      return loaded.kind === "ok" ? loaded.value.streamed.flatMap(({ blocks }) => blocks).length : 0
    })
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }

  async #untilIdle(): Promise<void> {
    for (const sessionId of this.sessions) while (!(await this.#isAtRest(sessionId)));
  }

  /** Whatever asks for a person gets a yes, and what is parked is resumed. A session is waited for as long as it moves. */
  async #isAtRest(sessionId: string): Promise<boolean> {
    const state = stateOf(await this.place.stored(sessionId))
    if (state.turn === undefined && state.waiting.length === 0) return true
    await Promise.all(this.#answers(sessionId, 0, state))
    if (state.turn?.parked !== undefined) await this.#sendWithRetries(sessionId, 0, { type: "resume" })
    await eventually(`session ${sessionId} moves on from event ${state.seq}`, async () => {
      const row = await this.place.directory.find(sessionId)
      return (row.kind === "ok" && row.value.seq > state.seq) || undefined
    })
    return false
  }

  #answers(sessionId: string, client: number, state: SessionState): readonly Promise<unknown>[] {
    return openApprovals(state).map(({ id }) =>
      this.#sendWithRetries(sessionId, client, { type: "approve", approvalId: id, approved: true }),
    )
  }

  #sendWithRetries(sessionId: string, client: number, command: SessionCommand): Promise<SendOutcome> {
    const outcome = this.#send(sessionId, client, command)
    outcome.catch(() => {}) // it is heard when all has come to rest, unless something goes wrong before
    return outcome
  }

  /** By other clients, when the host or the client itself is gone before there is an answer. */
  async #send(sessionId: string, client: number, command: SessionCommand): Promise<SendOutcome> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#client(client + attempt).send(sessionId, command)
      if (outcome.kind === "accepted" || !isTransient(outcome.refusal) || attempt === attempts) return outcome
    }
  }

  #session(index: number): string {
    const sessionId = this.sessions[index % this.sessions.length]
    if (sessionId === undefined) throw new Error("there is no session yet")
    return sessionId
  }

  #client(index: number): Client {
    const place = index % clientCount
    const client = this.#clients.get(place) ?? new Client(this.place)
    this.#clients.set(place, client)
    return client
  }
}

/** The session is between two hosts, its host has lost the lease, or the client is gone: the caller retries. */
function isTransient({ code }: Refusal): boolean {
  return code === "host.gone" || code === "host.leaving" || code === "session.owned" || code === "log.fenced"
}
