// One run: a host in a home with secrets, a conversation in which they occur everywhere, commands, and the end of the host.
// Afterwards everything that was shown or stored is searched.
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import { isJsonObject, textIn, tryParseJson } from "../../../contract/json-object.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { accepted } from "../../app-fault.ts"
import { serverUrl } from "../../serve/server-note.ts"
import { DoorMemory, type DoorClient } from "../crash/doors/door-client.ts"
import { reachHost, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { lookAtCommands } from "./commands.ts"
import type { Plantings } from "./plantings.ts"
import { passedVariable } from "./random-secrets.ts"
import { ownKeys, type SecretHome } from "./secret-home.ts"
import { JoinedFrames, type Sinks } from "./sinks.ts"
import { lastWords, TurnWriter, type Turn } from "./turns.ts"
import type { Needles } from "./needles.ts"

type Below = (below: number) => number

export interface SecretRunOptions {
  readonly home: SecretHome
  readonly kind: LaneKind
  readonly plantings: Plantings
  readonly needles: Needles
  readonly sinks: Sinks
  readonly below: Below
  readonly turns: number
  /** Whether enough secrets were planted by all runs together. */
  readonly isEnough: () => boolean
  readonly signal: AbortSignal
}

/** A host must start, and a turn must end, within this time, also on a busy machine. */
const PATIENCE_MS = 60_000
const MAX_EVENTS = 100_000
/** What a turn or a compaction ends with. */
const ends: ReadonlySet<string> = new Set(["turn.ended", "context.compacted", "compaction.failed"])

export class SecretRun {
  readonly #options: SecretRunOptions
  readonly #writer: TurnWriter
  readonly #memory: DoorMemory
  readonly #frames = { native: new JoinedFrames(), door: new JoinedFrames() }
  readonly #answered = new Set<string>()
  #client: HouseClient | undefined
  #door: DoorClient | undefined
  #sessionId: SessionId = ""
  #ended = Promise.withResolvers<void>()
  /** The text of the model, from all deltas. */
  #answer = ""
  readonly #shown = Promise.withResolvers<void>()

  constructor(options: SecretRunOptions) {
    this.#options = options
    const { home, plantings, kind, sinks } = options
    this.#writer = new TurnWriter(home.workspace, plantings)
    this.#memory = new DoorMemory(kind.name, () => {}, true) // what is lost is the business of other proofs
    this.#memory.onFrame = (text) => {
      this.#frames.door.add(text)
      const sink = `frames of the door of ${kind.name}`
      sinks.look(sink, text, textIn(tryParseJson(text), "type") ?? sink)
    }
  }

  /** No process of the host is left afterwards. */
  async run(): Promise<void> {
    const { home, kind, signal } = this.#options
    const started = kind.start(home, this.#memory, undefined)
    try {
      await this.#open(started)
      await this.#talk()
      if (!signal.aborted) await this.#command()
      if (!signal.aborted) await this.#compact()
      if (!signal.aborted) await this.#hang()
    } finally {
      started.process.signal("SIGKILL")
      await started.process.exited
      await this.#client?.closed
      this.#door?.close()
    }
    if (!signal.aborted) await this.#search()
  }

  async #open(started: Started): Promise<void> {
    const { home, kind, plantings, needles, signal, below } = this.#options
    plantings.add(home.set.secrets)
    for (const secret of home.set.secrets) needles.add(secret)
    const client = await reachHost(kind, home, started, () => signal.aborted || started.process.exit !== undefined)
    if (client === undefined) throw new Error("the host did not start; output.log in its folder says why")
    this.#client = client
    this.#sessionId = await kind.create(home, started, client, this.#memory)
    const { handle } = accepted(await client.open(this.#sessionId))
    await handle.watch(0, (item) => this.#take(item))
    this.#door = await kind.connect(home, started, this.#sessionId, { memory: this.#memory, signal })
    await this.#turn(this.#writer.first())
    const own = ownKeys(home, this.#sessionId, below)
    plantings.add(own)
    for (const secret of own) needles.add(secret)
  }

  async #talk(): Promise<void> {
    const { turns, isEnough, plantings, signal } = this.#options
    await this.#send({ type: "rename", name: plantings.shortText("name of the session") })
    for (let number = 0; number < turns && !signal.aborted && (number === 0 || !isEnough()); number += 1) {
      await this.#turn(this.#writer.next(number % 2 === 0))
      if (number % 3 === 0 && !signal.aborted) await this.#turn(this.#writer.failing())
    }
  }

  async #command(): Promise<void> {
    const { home, plantings, sinks } = this.#options
    const url = serverUrl(home.workspace.home)
    if (url !== undefined) await fetch(`${url}/${plantings.word("request to the server")}`)
    await lookAtCommands({ home, plantings, sinks, sessionId: this.#sessionId })
  }

  async #compact(): Promise<void> {
    const { home, plantings } = this.#options
    this.#ended = Promise.withResolvers<void>()
    home.models.replies.splice(0, Infinity, [{ text: `In short: ${plantings.text("summary of a compaction")}.` }])
    await this.#send({ type: "compact" })
    await this.#inTime(this.#ended.promise, "the end of the compaction")
  }

  /** The host is killed while the model speaks. */
  async #hang(): Promise<void> {
    await this.#begin(this.#writer.hanging())
    await this.#inTime(this.#shown.promise, "the text of the model")
  }

  async #turn(turn: Turn): Promise<void> {
    this.#ended = Promise.withResolvers<void>()
    await this.#begin(turn)
    await this.#inTime(this.#ended.promise, `the end of the turn '${turn.prompt}'`)
  }

  async #begin({ prompt, throughDoor, replies }: Turn): Promise<void> {
    this.#options.home.models.replies.splice(0, Infinity, ...replies)
    if (throughDoor && this.#door?.prompt(prompt) === true) return
    await this.#send({ type: "prompt", promptId: `prm_${randomUUID()}`, text: prompt, ifBusy: "wait" })
  }

  async #send(command: Parameters<HouseClient["send"]>[1]): Promise<void> {
    const sent = await this.#client?.send(this.#sessionId, command)
    if (sent !== undefined) accepted(sent)
  }

  #take(item: WatchItem): void {
    const { sinks, signal } = this.#options
    if (item.kind === "lost" || signal.aborted) return
    const text = JSON.stringify(item)
    this.#frames.native.add(text)
    const type = item.kind === "event" ? item.recorded.event.type : item.kind
    sinks.look("frames of the native API", text, type)
    if (item.kind === "delta" && item.delta.type === "text.delta") this.#answer += item.delta.delta
    if (this.#answer.includes(lastWords)) this.#shown.resolve()
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (ends.has(event.type)) this.#ended.resolve()
    if (event.type === "approval.requested") void this.#approve(event.approvalId)
  }

  async #approve(approvalId: `apr_${string}`): Promise<void> {
    if (this.#answered.has(approvalId)) return
    this.#answered.add(approvalId)
    await this.#client?.send(this.#sessionId, { type: "approve", approvalId, approved: true })
  }

  async #inTime(promise: Promise<void>, what: string): Promise<void> {
    const { signal } = this.#options
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`${what} did not come for ${PATIENCE_MS / 1000} s`)),
      PATIENCE_MS,
    )
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
    try {
      await Promise.race([promise, stopped, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  async #search(): Promise<void> {
    const { home, kind, sinks } = this.#options
    const { workspace, log, models } = home
    for (const { text } of accepted(await log.readLines(this.#sessionId, 0, MAX_EVENTS)).value)
      sinks.look("events of the log", text, typeIn(text))
    sinks.lookInHome(workspace.home)
    sinks.look("output of hosts", readFileSync(workspace.path("output.log"), "utf8"))
    for (const text of models.received) sinks.look("requests to the provider", text)
    for (const text of this.#frames.native.texts) sinks.look("joined frames of the native API", text)
    for (const text of this.#frames.door.texts) sinks.look(`joined frames of the door of ${kind.name}`, text)
    for (const name of ["tool", "server", "extension"]) this.#lookAtEnvironment(name)
    sinks.look("command lines of processes", readIfThere(workspace.path("notes/commands")))
  }

  /** Without what each gets by the settings. */
  #lookAtEnvironment(name: string): void {
    const { home, sinks } = this.#options
    const text = readIfThere(home.workspace.path("notes", name))
    const value = tryParseJson(text)
    const given = new Set([passedVariable, ...Object.keys(home.set.serverEnv)])
    const shown = isJsonObject(value)
      ? JSON.stringify(Object.entries(value).filter(([key]) => !given.has(key)))
      : text.split("\n").filter((line) => !line.startsWith(`${passedVariable}=`)).join("\n") // prettier-ignore
    sinks.look(`environment of a ${name}`, shown)
  }
}

function typeIn(line: string): string {
  return /"type":"([a-z]+\.[a-z-]+)"/.exec(line)?.[1] ?? "none"
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}
