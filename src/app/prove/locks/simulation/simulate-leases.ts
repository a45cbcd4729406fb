// Histories of hosts that claim and write the same sessions: the real log on a database in memory, simulated hosts, whose
// requests to the writer take time, and a clock that is set.
import type { SessionEvent } from "../../../../contract/events.ts"
import type { SessionId } from "../../../../contract/ids.ts"
import { limits } from "../../../../contract/limits.ts"
import { openEmpty } from "../../../../log/sqlite/read-only.ts"
import { SqliteLog } from "../../../../log/sqlite/sqlite-log.ts"
import { InPlaceWriter } from "../../../../log/sqlite/writes/in-place-writer.ts"
import { Writer } from "../../../../log/sqlite/writes/writer.ts"
import { pick } from "../../seeded.ts"
import type { Report } from "../../violation.ts"
import { linearize, type Operation } from "../check/linearize.ts"
import { leaseModel, type LeaseCall } from "../check/lease-model.ts"
import type { PlayFacts } from "../play/lock-play.ts"
import { MachineClock } from "./lease-times.ts"
import { SimulatedHost } from "./simulated-host.ts"
import { VirtualTime } from "./virtual-time.ts"

const MAX_THINK_MS = 2500
const MAX_FREEZE_MS = 15_000
const MAX_CALM_MS = 10_000
const MAX_JUMP_MS = 20_000
/** A jump that makes hosts look forgotten. */
const DAYS_MS = 3 * 24 * 60 * 60 * 1000
const PATH = ":memory:"

export async function simulateLeases(below: (below: number) => number, report: Report): Promise<PlayFacts> {
  const play = new LeasePlay(below)
  try {
    await play.time.run(play.run())
    play.check(report)
    return play.facts
  } finally {
    play.close()
  }
}

class LeasePlay {
  readonly time: VirtualTime
  readonly #below: (below: number) => number
  readonly #clock: MachineClock
  readonly #writer = new Writer({ path: PATH, open: openEmpty })
  readonly #port = new InPlaceWriter(this.#writer)
  readonly #hosts: SimulatedHost[] = []
  readonly #actors: Promise<void>[] = []
  readonly #sessions = new Map<SessionId, Operation<LeaseCall>[]>()
  #left: number
  #texts = 0
  #freezes = 0
  #kills = 0
  #jumps = 0

  constructor(below: (below: number) => number) {
    this.#below = below
    this.#left = 20 + below(40)
    this.time = new VirtualTime(below)
    this.#clock = new MachineClock(() => this.time.now)
  }

  get facts(): PlayFacts {
    const calls = [...this.#sessions.values()].flat().map(({ call }) => call)
    const fenced = calls.filter(({ type }) => type === "append-fenced" || type === "claim-fenced").length
    return { operations: calls.length, fenced, freezes: this.#freezes, kills: this.#kills, jumps: this.#jumps }
  }

  async run(): Promise<void> {
    const creator = await this.#newHost()
    for (let number = 0; number <= this.#below(2); number++) {
      const sessionId = `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`
      this.#sessions.set(sessionId, [])
      await creator.create(sessionId, createdEvent(sessionId))
    }
    this.#join(creator)
    for (let others = 1 + this.#below(3); others > 0; others--) this.#join(await this.#newHost())
    await Promise.all(Array.from({ length: 1 + this.#below(2) }, () => this.#disturb()))
    for (const actor of this.#actors) await actor
    for (const host of this.#hosts) host.kill()
  }

  check(report: Report): void {
    const creator = this.#hosts[0]?.name ?? ""
    for (const [sessionId, operations] of this.#sessions) {
      const verdict = linearize({ operations, possibilities: [] }, leaseModel(creator, "created"))
      if (verdict.kind === "linearizable") continue
      const { call, invokedAt, respondedAt } = verdict.stuck
      const isDoubled = call.type === "claimed" || call.type === "appended"
      const before = verdict.order
        .slice(-4)
        .map((one) => JSON.stringify(one))
        .join("; ")
      const what = `in ${sessionId} ${JSON.stringify(call)} (${invokedAt} to ${respondedAt} ms) is impossible after ${before}`
      report(call.type === "read" ? "lost" : isDoubled ? "doubled" : "broken", `lease.${call.type}`, what)
    }
    for (const { name, wasWronglyFenced } of this.#hosts)
      if (wasWronglyFenced) report("broken", "lease.renewed", `${name} lost its lease before it could look expired`)
  }

  close(): void {
    this.#writer.close()
  }

  async #newHost(): Promise<SimulatedHost> {
    const { time } = this
    const host = new SimulatedHost({
      number: this.#hosts.length + 1,
      time,
      clock: this.#clock,
      below: this.#below,
      port: this.#port,
      openLog: (options, port) => new SqliteLog({ ...options, path: PATH }, () => this.#writer.connection, port),
      isDead: (pid) => this.#hosts[pid - 1]?.isDead === true,
      findHost: (pid) => this.#hosts[pid - 1],
    })
    this.#hosts.push(host)
    await host.register()
    return host
  }

  #join(host: SimulatedHost): void {
    this.#actors.push(this.#act(host))
  }

  async #act(host: SimulatedHost): Promise<void> {
    while (this.#left > 0 && !host.isDead) {
      await Promise.race([host.pause(this.#below(MAX_THINK_MS)), host.died])
      this.#left -= 1
      const sessionId = pick([...this.#sessions.keys()], this.#below)
      const recorded = await host.perform(this.#nextAct(), sessionId, `text ${(this.#texts += 1)}`)
      this.#sessions.get(sessionId)?.push(...recorded)
    }
  }

  #nextAct() {
    const what = this.#below(20)
    if (what < 6) return "claim"
    if (what < 15) return "append"
    return what < 18 ? "read" : "release"
  }

  async #disturb(): Promise<void> {
    while (this.#left > 0) {
      await this.time.pause(this.#below(MAX_CALM_MS))
      const able = this.#hosts.filter((host) => host.isRegistered && !host.isDead && !host.isFrozen)
      const what = this.#below(10)
      if (what < 3) this.#setClock()
      else if (able.length > 0 && this.#left > 0) await this.#harm(pick(able, this.#below), what < 7)
    }
  }

  #setClock(): void {
    this.#jumps += 1
    const range = this.#below(4) === 0 ? DAYS_MS : MAX_JUMP_MS
    this.#clock.set(this.#below(2 * range) - range)
  }

  async #harm(host: SimulatedHost, isFrozen: boolean): Promise<void> {
    if (isFrozen) {
      this.#freezes += 1
      host.freeze()
      await this.time.pause(this.#below(MAX_FREEZE_MS))
      if (this.#below(3) > 0) return host.thaw()
    }
    this.#kills += 1
    host.kill()
    this.#join(await this.#newHost())
  }
}

function createdEvent(sessionId: SessionId): SessionEvent {
  return {
    type: "session.created",
    sessionId,
    origin: "prove",
    org: "local",
    owner: "prove",
    preset: "careful",
    cwd: "/",
    model: "offline/any",
    toolMode: "Smart",
    limits: limits.sessionDefaults,
    budget: {},
  }
}
