// Reads sources of documents again when their time has come, while a host runs. The work is done by a process of its own,
// so that neither its time nor its memory is that of sessions; it is the command that a user can start too.
import { spawn, type ChildProcess } from "node:child_process"
import { existsSync } from "node:fs"
import { messageOf } from "../../contract/faults.ts"
import { entryFile } from "../../program/program-files.ts"
import { exitCodes } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { hostFlags } from "../host/background-host.ts"
import { indexPath } from "../settings/knowledge.ts"
import { printNotice } from "../terminal.ts"

/** Between two looks at the index. */
const LOOK_MS = 30_000
const FIRST_LOOK_MS = 2000
/** After the command could not start, for example because of a mistake in the configuration. */
const UNUSABLE_MS = 600_000

export class KnowledgeSchedule {
  readonly #context: AppContext
  #timer: NodeJS.Timeout | undefined
  #child: ChildProcess | undefined
  #isUnusable = false
  #round: Promise<void> = Promise.resolve()

  /** Undefined where the configuration turns it off. */
  static start(context: AppContext): KnowledgeSchedule | undefined {
    return context.config.knowledge?.refresh === false ? undefined : new KnowledgeSchedule(context)
  }

  private constructor(context: AppContext) {
    this.#context = context
    this.#later(FIRST_LOOK_MS)
  }

  /** A source that is being read is interrupted; the next host continues. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#child?.kill("SIGTERM")
    await this.#round
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#round = this.#look()
        .catch((fault: unknown) => printNotice(`turnhouse: sources of documents cannot be read: ${messageOf(fault)}`))
        .then(() => this.#timer && this.#later(this.#isUnusable ? UNUSABLE_MS : LOOK_MS))
    }, ms)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const { home } = this.#context
    if (!existsSync(indexPath(home))) return
    const { hasDueSource } = await import("./sources.ts")
    if (this.#timer !== undefined && hasDueSource(home)) await this.#refresh()
  }

  #refresh(): Promise<void> {
    const { home, cwd, configFile, profile } = this.#context
    const args = [
      "knowledge",
      "refresh",
      "--due",
      ...(configFile === undefined ? [] : ["--config", configFile]),
      ...(profile === undefined ? [] : ["--profile", profile]),
    ]
    const { promise, resolve } = Promise.withResolvers<void>()
    // Failures are in the history of the source, where 'knowledge sources' shows them.
    this.#child = spawn(process.execPath, [...hostFlags, entryFile, ...args], {
      cwd,
      env: { ...process.env, TURNHOUSE_HOME: home },
      stdio: ["ignore", "ignore", "inherit"],
    })
    this.#child.once("error", (fault) => {
      printNotice(`turnhouse: sources of documents cannot be read: ${messageOf(fault)}`)
      resolve()
    })
    this.#child.once("exit", (code) => {
      this.#isUnusable = code !== exitCodes.done && code !== exitCodes.failed
      resolve()
    })
    return promise.finally(() => (this.#child = undefined))
  }
}
