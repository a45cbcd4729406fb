// The screen as a running program: input changes the state, the state is drawn. At rest it does nothing: there is no timer
// unless something on the screen counts time.
import type { SessionCommand } from "../contract/commands.ts"
import type { WatchItem } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import { ApprovalKeys } from "./actions/approval.ts"
import type { ScreenControl, ScreenExit } from "./actions/control.ts"
import { scrollLines } from "./actions/reading.ts"
import { exitOf, showHelp } from "./actions/session.ts"
import { chooseSession } from "./actions/sessions.ts"
import { sendPrompt, submit } from "./actions/submit.ts"
import { actions } from "./actions/table.ts"
import { pasteText, typeText } from "./actions/writing.ts"
import { WindowImages } from "./images/window-images.ts"
import { actionOf } from "./keymap.ts"
import { SessionLink } from "../clients/session/session-link.ts"
import type { SessionModel } from "../clients/session/session-model.ts"
import { Notifications } from "./notifications.ts"
import type { ScreenNotifier, ScreenPlace } from "./place.ts"
import { SessionFacts } from "./session-facts.ts"
import type { CompletionSources } from "./state/completion.ts"
import type { Draft } from "./state/draft.ts"
import { History } from "./state/history.ts"
import { initialState, type Notice, type ScreenState } from "./state/screen-state.ts"
import { keyName, type InputEvent } from "./terminal/parse-input.ts"
import { Renderer, type Size } from "./terminal/renderer.ts"
import { Terminal, type TerminalEvents } from "./terminal/terminal.ts"
import { view } from "./view/screen.ts"

export interface ScreenStart {
  /** Creates or finds the session that is shown first; without one the user chooses. What it throws ends the screen. */
  readonly open: () => Promise<SessionId | undefined>
  /** Sent when the session is open. */
  readonly prompt?: string | undefined
  readonly notice?: (() => Promise<string | undefined>) | undefined
}

export type ScreenTerminal = Pick<Terminal, "open" | "close" | "write" | "suspend" | "lend" | "size">

/** Milliseconds between two frames while a model writes, and after a key. */
const FRAME_MS = 40
const KEY_FRAME_MS = 8
const TICK_MS = 1000
const NOTICE_MS = 8000
const HELD_NOTICE = "This is sent when the session is open."

export class Screen implements ScreenControl {
  readonly place: ScreenPlace
  readonly terminal: ScreenTerminal
  readonly pressedAt = { escape: 0, leave: 0 }
  history = new History([])
  state: ScreenState
  link: SessionLink | undefined
  readonly #renderer: Renderer
  readonly #approvals: ApprovalKeys
  readonly #facts: SessionFacts
  readonly #images: WindowImages | undefined
  readonly #notifier: ScreenNotifier | undefined
  readonly #notifications: Notifications | undefined
  /** Unknown until the terminal reports it; some never do. */
  #hasFocus: boolean | undefined
  readonly #left = Promise.withResolvers<ScreenExit>()
  /** Submitted before there was a session. */
  #held: Draft | undefined
  #frame: NodeJS.Timeout | undefined
  #frameAt = Infinity
  #drawnAt = 0
  #ticking: NodeJS.Timeout | undefined
  #noticeTimer: NodeJS.Timeout | undefined

  constructor(
    place: ScreenPlace,
    newTerminal: (events: TerminalEvents) => ScreenTerminal = (events) => new Terminal(events),
  ) {
    this.place = place
    const { caller, userHome, theme, remote } = place
    const facts = { user: caller.principal, userHome, remote: remote?.label }
    this.state = initialState(facts, theme.hasColour, Date.now())
    this.terminal = newTerminal({
      input: (event) => this.#input(event),
      resize: () => {
        this.#images?.resized((text) => this.terminal.write(text))
        this.#draw()
      },
      end: () => this.leave(exitOf(this, "closed")),
      resume: () => {
        this.#renderer.invalidate()
        this.#draw()
      },
    })
    this.#images = place.images === undefined ? undefined : new WindowImages(this, place.images)
    this.#renderer = new Renderer((text) => this.terminal.write(text), this.#images?.store)
    this.#approvals = new ApprovalKeys(this, (text) => typeText(this, text))
    this.#facts = new SessionFacts(this)
    this.#notifier = place.notifier?.(() => this.#hasFocus === true)
    this.#notifications = this.#notifier === undefined ? undefined : new Notifications(this.#notifier)
  }

  get size(): Size {
    return this.terminal.size
  }

  get sources(): CompletionSources {
    return this.#facts.sources
  }

  /** Resolves when the user leaves. */
  async run({ open, prompt, notice }: ScreenStart): Promise<ScreenExit> {
    this.terminal.open()
    this.start(async () => this.#images?.detect((text) => this.terminal.write(text)))
    this.#draw()
    this.place.onLinkChange((sessionId, state) => this.#linkChanged(sessionId, state))
    this.place.remote?.onProblem((text) => this.notify("warning", text))
    try {
      this.history = new History(await this.place.history.read())
      await Promise.race([this.#begin(open, prompt), this.#left.promise])
      if (notice !== undefined) this.start(async () => this.#greet(await notice()))
      return await this.#left.promise
    } finally {
      this.#close()
    }
  }

  async #begin(open: ScreenStart["open"], prompt: string | undefined): Promise<void> {
    const sessionId = await open()
    if (sessionId === undefined) return chooseSession(this)
    await this.#open(sessionId)
    if (prompt !== undefined && prompt.trim() !== "") sendPrompt(this, prompt)
    this.#submitHeld()
  }

  #greet(text: string | undefined): void {
    if (text !== undefined && this.state.notice === undefined) this.notify("info", text)
  }

  update(change: Partial<ScreenState>): void {
    this.state = { ...this.state, ...change }
    this.#schedule(KEY_FRAME_MS)
  }

  notify(tone: Notice["tone"], text: string): void {
    clearTimeout(this.#noticeTimer)
    this.#noticeTimer = setTimeout(() => this.update({ notice: undefined }), NOTICE_MS)
    this.update({ notice: { tone, text } })
  }

  start(work: () => Promise<void>): void {
    void work().catch((fault: unknown) => this.notify("danger", fault instanceof Error ? fault.message : String(fault)))
  }

  async send(command: SessionCommand): Promise<boolean> {
    const sent = await this.link?.send(command)
    if (sent?.kind === "refused") this.notify("warning", describeRefusal(sent.refusal))
    return sent?.kind === "accepted"
  }

  async openSession(sessionId: SessionId): Promise<void> {
    await this.#open(sessionId)
    this.#submitHeld()
  }

  submitWhenOpen(): void {
    this.#held = this.state.draft
    this.notify("info", HELD_NOTICE)
  }

  #submitHeld(): void {
    const isUnchanged = this.#held === this.state.draft
    this.#held = undefined
    if (this.state.notice?.text === HELD_NOTICE) this.update({ notice: undefined })
    if (isUnchanged) submit(this)
  }

  async #open(sessionId: SessionId): Promise<void> {
    this.link?.close()
    const link = new SessionLink(sessionId, this.place, {
      changed: (model, item) => this.#changed(link, model, item),
      lost: () => this.#linkChanged(sessionId, "lost"),
      live: () => this.#linkChanged(sessionId, "live"),
      ended: (refusal) => this.#ended(refusal),
      isFollowing: () => this.state.scroll === undefined,
    })
    this.link = link
    this.update({
      session: undefined,
      link: { kind: "opening" },
      scroll: undefined,
      shell: undefined,
      focus: undefined,
    })
    const refusal = await link.join()
    if (refusal !== undefined) throw new Error(describeRefusal(refusal))
    this.update({ link: { kind: "live" } })
    this.#facts.load()
  }

  followRequests(): void {
    this.#approvals.follow()
  }

  leave(exit: ScreenExit): void {
    this.#left.resolve(exit)
  }

  #changed(link: SessionLink, model: SessionModel, item: WatchItem | undefined): void {
    if (link !== this.link) return
    this.state = { ...this.state, session: model }
    this.#notifications?.follow(model, item)
    if (item?.kind === "delta" && item.delta.type === "host.warned") this.notify("warning", item.delta.message)
    if (item?.kind === "event") this.#facts.follow(item.recorded.event.type)
    this.#approvals.follow()
    this.#schedule(FRAME_MS)
  }

  #linkChanged(sessionId: SessionId, state: "lost" | "live"): void {
    if (sessionId !== this.link?.sessionId) return
    const { link } = this.state
    if (state === "lost") {
      if (link.kind !== "lost") this.update({ link: { kind: "lost", since: Date.now() } })
      return
    }
    if (link.kind === "lost") {
      const seconds = ((Date.now() - link.since) / 1000).toFixed(1)
      const cause = this.place.remote === undefined ? "host restarted" : "connection was lost"
      this.notify("info", `${cause} · reconnected in ${seconds} s · nothing lost`)
    }
    this.update({ link: { kind: "live" } })
  }

  #ended(refusal: Refusal): void {
    this.notify("danger", describeRefusal(refusal))
    this.update({ link: { kind: "ended" } })
  }

  #input(event: InputEvent): void {
    if (event.kind === "reply") return this.#images?.reply(event.text)
    if (event.kind === "focus") this.#hasFocus = event.hasFocus
    const isHeld = this.#approvals.take(event)
    const { overlay } = this.state
    if (overlay !== undefined) {
      const next = overlay.input(event)
      if (this.state.overlay === overlay) this.update({ overlay: next })
      if (next === undefined && this.link === undefined) this.leave(exitOf(this, "left"))
      return
    }
    if (isHeld) return
    switch (event.kind) {
      case "text":
        return this.#text(event.text)
      case "paste":
        return pasteText(this, event.text)
      case "wheel":
        return scrollLines(this, event.lines)
      case "key": {
        const action = actionOf(keyName(event.key))
        return action === undefined ? undefined : actions[action](this)
      }
      case "focus":
        return
    }
  }

  #text(text: string): void {
    const { draft, question } = this.state
    if (text === "?" && draft.text === "" && question === undefined) return showHelp(this)
    typeText(this, text)
  }

  /** At most one frame in `ms`; a frame that is due earlier stays. */
  #schedule(ms: number): void {
    const at = Math.max(this.#drawnAt + ms, performance.now())
    if (this.#frame !== undefined && this.#frameAt <= at) return
    clearTimeout(this.#frame)
    this.#frameAt = at
    this.#frame = setTimeout(() => this.#draw(), Math.max(0, at - performance.now()))
  }

  #draw(): void {
    clearTimeout(this.#frame)
    this.#frame = undefined
    this.#drawnAt = performance.now()
    this.state = { ...this.state, now: Date.now() }
    const { size } = this
    const frame = view(this.state, size)
    this.#renderer.draw(frame, size, this.place.theme)
    this.#images?.shown(frame.lines)
    this.#tick()
  }

  /** Only while something on the screen counts time. */
  #tick(): void {
    const { session, link, card } = this.state
    const isCounting = link.kind === "lost" || session?.status.inTurn === true || card !== undefined
    if (!isCounting) {
      clearInterval(this.#ticking)
      this.#ticking = undefined
      return
    }
    this.#ticking ??= setInterval(() => this.#schedule(0), TICK_MS)
  }

  #close(): void {
    for (const timer of [this.#frame, this.#ticking, this.#noticeTimer]) clearTimeout(timer)
    this.#facts.close()
    this.#approvals.close()
    this.#notifier?.close()
    this.link?.close()
    this.state = { ...this.state, overlay: undefined } // what it loads again is not loaded any more
    this.#renderer.end()
    this.terminal.close()
  }
}
