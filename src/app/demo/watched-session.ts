// A session of a story: its events as they come, kept so that a step can wait for one and check what happened.
import { setTimeout as sleep } from "node:timers/promises"
import type { SessionCommand } from "../../contract/commands.ts"
import type { EventOf, EventType, Recorded } from "../../contract/events.ts"
import type { SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { PromptId, SessionId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { Workspace } from "./workspace.ts"
import { AppFault, accepted, exitCodes } from "../app-fault.ts"
import type { HomeConnection } from "../host/home-connection.ts"
import { localCaller, newPromptId, openSession, sendCommand } from "../host/send-command.ts"
import { SessionView } from "../sessions/session-view.ts"
import { shellEnvironment } from "../settings/shell-environment.ts"
import { storyDoor } from "./story-host.ts"

/** Nothing that a script does takes this long, even on a busy machine. */
const SILENCE_MS = 120_000
/** How long the end of a session may take. */
const END_MS = 3000
/** A story has some hundred events; a user who joins may add more. */
const MAX_EVENTS = 50_000

export type RecordedOf<Type extends EventType> = Omit<Recorded, "event"> & { readonly event: EventOf<Type> }

interface Wanted<Type extends EventType> {
  readonly after?: number
  readonly where?: (event: EventOf<Type>) => boolean
  /** How long the session may be silent. */
  readonly patienceMs?: number
}

type Show = (item: WatchItem, view: SessionView) => void

export class WatchedSession {
  readonly id: SessionId
  readonly events: Recorded[] = []
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #show: Show
  readonly #waiting = new Set<() => void>()
  #fault: AppFault | undefined

  /** `cwd` is where it works; the rest comes from the configuration. */
  static async create(
    { port }: HomeConnection,
    { workspace, cwd }: { readonly workspace: Workspace; readonly cwd: string },
    show: Show,
  ): Promise<WatchedSession> {
    const options: SessionOptions = { cwd, origin: storyDoor, preset: "careful" }
    const created = accepted(await port.create(options, localCaller(storyDoor), shellEnvironment(workspace.env)))
    return new WatchedSession(created.handle, show).#watch()
  }

  static async open({ port }: HomeConnection, sessionId: SessionId, show: Show): Promise<WatchedSession> {
    return new WatchedSession(await openSession(port, sessionId, storyDoor), show).#watch()
  }

  private constructor(handle: SessionHandle, show: Show) {
    this.id = handle.sessionId
    this.#handle = handle
    this.#view = SessionView.empty(handle.sessionId)
    this.#show = show
  }

  send(command: SessionCommand): Promise<number> {
    return sendCommand(this.#handle, command)
  }

  /** Returns when the prompt is stored. `model`: for its turn only. */
  async prompt(text: string, model?: string): Promise<PromptId> {
    const promptId = newPromptId()
    const chosen = model === undefined ? {} : { model }
    await this.send({ type: "prompt", promptId, text, ifBusy: "refuse", ...chosen })
    return promptId
  }

  /** Events of a type, after that number if one is given. */
  of<Type extends EventType>(type: Type, after = 0): readonly RecordedOf<Type>[] {
    const isOfType = (recorded: Recorded): recorded is Recorded & RecordedOf<Type> => recorded.event.type === type
    return this.events.filter(isOfType).filter(({ seq }) => seq > after)
  }

  /** The first such event after that number, which may still come. */
  async next<Type extends EventType>(
    type: Type,
    { after = 0, where = () => true, patienceMs = SILENCE_MS }: Wanted<Type> = {},
  ): Promise<RecordedOf<Type>> {
    return this.#until(type, () => this.of(type, after).find(({ event }) => where(event)), patienceMs)
  }

  /** The end of the turn that the prompt has started; a failed turn ends the story. */
  async endOf(promptId: PromptId): Promise<RecordedOf<"turn.ended">> {
    const { event: started } = await this.next("prompt.promoted", { where: (event) => event.promptId === promptId })
    const ended = await this.next("turn.ended", { where: ({ turnId }) => turnId === started.turnId })
    if (ended.event.reason !== "failed") return ended
    throw new AppFault(`the scripted turn failed: ${ended.event.error ?? "no reason given"}`)
  }

  /** Viewers leave a session that has ended. Does not wait for a host that is gone. */
  async end(): Promise<void> {
    const sent = this.send({ type: "end", when: "now" }).catch(() => 0)
    await Promise.race([sent, sleep(END_MS, undefined, { ref: false })])
  }

  get seq(): number {
    return this.events.at(-1)?.seq ?? 0
  }

  get view(): SessionView {
    return this.#view
  }

  async #watch(): Promise<this> {
    await this.#handle.watch(0, (item) => this.#take(item))
    return this
  }

  #take(item: WatchItem): void {
    if (item.kind === "event") {
      this.#view.take(item.recorded)
      this.events.push(item.recorded)
    }
    if (item.kind === "lost") this.#fault = new AppFault(describeRefusal(item.refusal), exitCodes.unreachable)
    if (this.events.length > MAX_EVENTS) this.#fault = new AppFault("the session has more events than a story can have")
    this.#show(item, this.#view)
    for (const look of this.#waiting) look()
  }

  /** Fails when the session is silent for too long. */
  #until<Found>(what: string, find: () => Found | undefined, patienceMs: number): Promise<Found> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#waiting.delete(look)
        clearTimeout(timer)
      }
      const look = () => {
        timer.refresh()
        const found = find()
        if (found === undefined && this.#fault === undefined) return
        settle()
        if (found === undefined) reject(this.#fault)
        else resolve(found)
      }
      const timer: NodeJS.Timeout = setTimeout(() => {
        settle()
        reject(new AppFault(`the session was silent for ${patienceMs / 1000} s while the story waited for ${what}`))
      }, patienceMs).unref()
      this.#waiting.add(look)
      look()
    })
  }
}
