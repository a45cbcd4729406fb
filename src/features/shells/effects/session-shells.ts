// The running background shells of one session, and the unread output of those that have ended. Their starts and ends
// are reported to the session; a closed session reports nothing more, and its host ends the processes.
import type { ShellId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import type {
  KilledShell,
  ReadOptions,
  ShellOrder,
  ShellRead,
  Shells,
  StartedShell,
} from "../../../tools/shell/shells.ts"
import { watchRun, type RunEnd } from "../../../tools/watch-run.ts"
import type { ShellExited } from "../state.ts"
import { shellEndText } from "../shell-text.ts"
import { ShellOutput } from "./shell-output.ts"

/** The longest timer; a shell that runs for longer is ended. */
const MAX_RUN_MS = 2 ** 31 - 1
/** Ended shells whose output can still be read. */
const KEPT_ENDED_SHELLS = 16

interface Entry {
  readonly output: ShellOutput
  readonly stopper: AbortController
  readonly ended: Promise<void>
  readonly network: ShellOrder["network"]
  /** How it ended. */
  end: string | undefined
}

export class SessionShells implements Shells {
  readonly #session: SessionContext
  readonly #entries = new Map<ShellId, Entry>()
  readonly #closed = Promise.withResolvers<void>()
  #isClosed = false

  constructor(session: SessionContext) {
    this.#session = session
  }

  async start({ callId, command, gated, network, timeoutMs = MAX_RUN_MS }: ShellOrder): Promise<StartedShell> {
    await this.#session.report({ type: "shell-started", callId, command, process: gated.process })
    const id = this.#session.state.shells.find((shell) => shell.callId === callId)?.id
    if (id === undefined || this.#isClosed) {
      gated.abandon()
      return { kind: "no", reason: tooMany }
    }
    const output = new ShellOutput(this.#session.services.scrubber)
    gated.stdout.on("data", (chunk: Uint8Array) => output.push(chunk))
    const stopper = new AbortController()
    const ended = this.#follow(id, { gated, network }, timeoutMs, stopper.signal)
    this.#entries.set(id, { output, stopper, ended, network, end: undefined })
    gated.go()
    return { kind: "started", id, ended: Promise.race([ended, this.#closed.promise]) }
  }

  async read(id: string, { waitMs, signal, select }: ReadOptions): Promise<ShellRead> {
    const entry = this.#find(id)
    if (entry === undefined) return { kind: "no", reason: this.#unknown(id) }
    await entry.output.available(waitMs, signal)
    const state = { isRunning: entry.end === undefined, state: stateText(entry) }
    const unread = entry.output.take()
    if (select === undefined) return { kind: "read", text: unread, ...state }
    const selected = await select(unread)
    if (selected.kind === "text") return { kind: "read", text: selected.text, ...state }
    entry.output.putBack(unread)
    return selected
  }

  async kill(id: string): Promise<KilledShell> {
    const entry = this.#find(id)
    if (entry === undefined) return { kind: "no", reason: this.#unknown(id) }
    if (entry.end !== undefined) return { kind: "no", reason: `${id} does not run any more: it ${entry.end}.` }
    entry.stopper.abort()
    await entry.ended
    return { kind: "killed" }
  }

  close(): void {
    this.#isClosed = true
    this.#closed.resolve()
  }

  async #follow(
    id: ShellId,
    { gated, network }: Pick<ShellOrder, "gated" | "network">,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const end = await watchRun(gated, timeoutMs, signal, network?.waitedMs)
    const entry = this.#find(id)
    if (this.#isClosed || entry === undefined) return
    const report = reportOf(id, end)
    entry.end = shellEndText(report)
    entry.output.end()
    await this.#session.report(report)
    const ended = [...this.#entries].filter(([, other]) => other.end !== undefined)
    for (const [oldest] of ended.slice(0, -KEPT_ENDED_SHELLS)) this.#entries.delete(oldest)
  }

  #find(id: string): Entry | undefined {
    return [...this.#entries].find(([known]) => known === id)?.[1]
  }

  #unknown(id: string): string {
    const running = [...this.#entries].flatMap(([known, { end }]) => (end === undefined ? [known] : []))
    const list = running.length === 0 ? "None is running." : `Running: ${running.join(", ")}.`
    return `There is no background shell ${id}, or its output is no longer kept. ${list}`
  }
}

/** With the connections that were refused: what the command prints seldom says why. */
function stateText({ end = "is still running", network }: Entry): string {
  const refusals = network?.refusals() ?? []
  return refusals.length === 0 ? end : `${end}. ${refusals.join(" ")}`.replace(/\.$/, "")
}

const tooMany = `${limits.shells} background shells are running already. End one with bash_kill, or wait until one has ended.`

function reportOf(shellId: ShellId, { kind, exit }: RunEnd): ShellExited {
  const outcome = { exited: "exited", "timed-out": "timed-out", cancelled: "killed" } as const
  const code = exit.code === null ? {} : { exitCode: exit.code }
  const signal = exit.signal === null ? {} : { signal: exit.signal }
  return { type: "shell-exited", shellId, outcome: outcome[kind], ...code, ...signal }
}
