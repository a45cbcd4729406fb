// What the screen shows besides events: how full the context is, the branch of the folder, and what can be completed.
import { builtInCommands } from "./actions/slash.ts"
import type { ScreenControl } from "./actions/control.ts"
import type { CompletionSources } from "./state/completion.ts"

/** Milliseconds after an event: several come together. */
const LATER_MS = 200

export class SessionFacts {
  readonly #screen: Pick<ScreenControl, "place" | "state" | "update" | "start">
  #sources: CompletionSources = { files: [], commands: builtInCommands() }
  #timer: NodeJS.Timeout | undefined

  constructor(screen: Pick<ScreenControl, "place" | "state" | "update" | "start">) {
    this.#screen = screen
  }

  get sources(): CompletionSources {
    return this.#sources
  }

  /** For a session that was just opened. */
  load(): void {
    this.#screen.start(() => this.#loadFolder())
    this.#screen.start(() => this.#loadCommands())
    this.#screen.start(() => this.#loadContext())
    this.#screen.start(() => this.#loadHost())
  }

  follow(event: string): void {
    const isRelevant =
      event === "response.ended" || event === "turn.ended" || event.startsWith("context.") || event === "model.selected"
    if (!isRelevant) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#screen.start(() => this.#loadContext())
      if (event === "turn.ended") this.#screen.start(() => this.#loadFolder())
    }, LATER_MS)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  async #loadFolder(): Promise<void> {
    const { place, state } = this.#screen
    const folder = state.session?.status.cwd
    if (place.files === undefined || folder === undefined) return
    const [files, branch] = await Promise.all([place.files.list(folder), place.files.branch(folder)])
    this.#sources = { ...this.#sources, files }
    this.#screen.update({ facts: { ...this.#screen.state.facts, branch } })
  }

  async #loadCommands(): Promise<void> {
    const { place, state } = this.#screen
    if (state.session === undefined) return
    const commands = await place.port.query({ type: "commands", sessionId: state.session.sessionId })
    if (commands.kind === "refused") return // those of Turnhouse remain
    const custom = commands.value.map(({ name, description }) => ({ text: `/${name}`, detail: description }))
    this.#sources = { ...this.#sources, commands: [...custom, ...builtInCommands()] }
  }

  async #loadHost(): Promise<void> {
    const { place, state } = this.#screen
    if (state.session === undefined) return
    const line = await place.port.query({ type: "session", sessionId: state.session.sessionId })
    if (line.kind === "refused") return // it is closed at the moment
    this.#screen.update({ facts: { ...this.#screen.state.facts, host: line.value.host?.role } })
  }

  async #loadContext(): Promise<void> {
    const { place, state } = this.#screen
    if (state.session === undefined) return
    const usage = await place.port.query({ type: "context-usage", sessionId: state.session.sessionId })
    if (usage.kind === "refused") return // older hosts and sessions that are not open have none
    const { parts, window } = usage.value
    const used = parts.reduce((sum, { tokens }) => sum + tokens, 0)
    const contextShare = window > 0 ? used / window : undefined
    this.#screen.update({ facts: { ...this.#screen.state.facts, contextShare } })
  }
}
