// The configured language servers of a tool set. A server is started by the first change of a file that it is for, shared by
// sessions with the same folder and environment, and stopped with the last of them or when it was not used for a while.
import { isAbsolute } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { SessionId } from "../../contract/ids.ts"
import { globMatcher } from "../../contract/text/glob.ts"
import { oneLine, withoutEscapes } from "../../contract/text/text.ts"
import { realPathOf } from "../files/paths.ts"
import { startCommand, type CommandDeps } from "../start-command.ts"
import type { ToolContext } from "../tool.ts"
import { describeProblems } from "./describe-problems.ts"
import type { FileChange } from "./language-client.ts"
import { LanguageServer, usualTiming, type ServerCheck, type ServerTiming } from "./language-server.ts"

/** What language servers report about changed files, for the result of the tool; empty if there is nothing to say. */
export type DiagnoseFiles = (changes: readonly FileChange[], context: ToolContext) => Promise<string>

type Settings = NonNullable<NonNullable<Config["tools"]>["languageServers"]>
type ServerSettings = Settings[string]

/** Files of one change that are checked by a server. */
const MAX_FILES = 20
/** Characters of a file; longer ones are not checked. */
const MAX_TEXT_LENGTH = 1024 * 1024
/** Servers at a time; the one that was used longest ago is stopped. */
const MAX_SERVERS = 8
const MAX_REASON_LENGTH = 300
const DEFAULT_TIMEOUT_SECONDS = 10
const IDLE_MS = 15 * 60_000
/** Owner of their processes, which may serve several sessions. */
const owner = "language-servers"
/** Names the locks of one call. */
const callVariable = "TURNHOUSE_FENCE"

interface Entry {
  readonly name: string
  readonly settings: ServerSettings
  readonly matches: (path: string) => boolean
}

interface Running {
  readonly server: LanguageServer
  readonly sessions: Set<SessionId>
  /** Sessions that know that it is off. */
  readonly notified: Set<SessionId>
  idle?: NodeJS.Timeout
}

export class LanguageServers {
  readonly #deps: CommandDeps
  readonly #timing: ServerTiming
  readonly #entries: readonly Entry[]
  /** The one that was used longest ago first. */
  readonly #running = new Map<string, Running>()
  readonly #stopping = new Set<Promise<void>>()
  #isClosed = false

  constructor(servers: Settings, deps: CommandDeps, timing: ServerTiming = usualTiming) {
    this.#deps = deps
    this.#timing = timing
    this.#entries = Object.entries(servers).map(([name, settings]) => ({
      name,
      settings,
      matches: matcherOf(settings),
    }))
  }

  readonly diagnose: DiagnoseFiles = async (changes, context) => {
    const inside = changes.filter(({ displayPath }) => !isAbsolute(displayPath))
    const texts = await Promise.all(
      this.#entries.map(async (entry) => {
        const own = inside.filter(({ displayPath }) => entry.matches(displayPath))
        return own.length === 0 ? "" : this.#report(entry, own, context)
      }),
    )
    return texts.filter((text) => text !== "").join("\n")
  }

  async leave(sessionId: SessionId): Promise<void> {
    for (const [key, { sessions, notified }] of this.#running) {
      notified.delete(sessionId)
      if (sessions.delete(sessionId) && sessions.size === 0) this.#stop(key)
    }
    await Promise.all(this.#stopping)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const key of this.#running.keys()) this.#stop(key)
    await Promise.all(this.#stopping)
  }

  async #report(entry: Entry, changes: readonly FileChange[], context: ToolContext): Promise<string> {
    const { name } = entry
    const clean = (text: string) => context.scrubber?.text(text) ?? text
    const fitting = changes.filter(({ after = "" }) => after.length <= MAX_TEXT_LENGTH).slice(0, MAX_FILES)
    const key = keyOf(name, context)
    const isKnown = this.#running.has(key)
    if (this.#isClosed || fitting.length === 0 || (!isKnown && fitting.every(isDeletion))) return ""
    const running = this.#use(key, entry, context)
    const result = await running.server.check(fitting, context.signal)
    if (result.kind === "files") {
      const skipped = changes.filter((change) => !isDeletion(change)).length - result.files.length
      const note = skipped === 0 ? [] : [`[${name} did not check ${skipped} of the changed files.]`]
      return [describeProblems(name, result.files, clean), ...note].filter((text) => text !== "").join("\n")
    }
    return this.#withoutDiagnostics(name, running, result, context.sessionId, clean)
  }

  #withoutDiagnostics(
    name: string,
    { notified }: Running,
    { kind, reason }: Exclude<ServerCheck, { kind: "files" }>,
    sessionId: SessionId,
    clean: (text: string) => string,
  ): string {
    if (kind === "off" && notified.has(sessionId)) return ""
    if (kind === "off") notified.add(sessionId)
    const text = oneLine(withoutEscapes(clean(reason)), MAX_REASON_LENGTH)
    return `[No diagnostics of ${name} for this change: it ${text}.]`
  }

  #use(key: string, entry: Entry, context: ToolContext): Running {
    const running = this.#running.get(key) ?? this.#create(entry, context)
    this.#running.delete(key)
    this.#running.set(key, running)
    running.sessions.add(context.sessionId)
    running.idle?.refresh()
    running.idle ??= setTimeout(() => this.#stop(key), IDLE_MS).unref()
    const [oldest] = this.#running.keys()
    if (this.#running.size > MAX_SERVERS && oldest !== undefined) this.#stop(oldest)
    return running
  }

  #create({ settings }: Entry, { cwd, env: callEnv }: ToolContext): Running {
    const [command = "", ...args] = settings.command
    const request = { command, args, env: withoutCall(callEnv), stdin: "pipe" } as const
    const { initializationOptions, settings: configuration, timeout = DEFAULT_TIMEOUT_SECONDS } = settings
    const place = { root: realPathOf(cwd, "/"), initializationOptions, settings: configuration }
    const server = new LanguageServer(place, {
      start: () => startCommand(this.#deps, request, { cwd, sessionId: owner }),
      timing: this.#timing,
      waitMs: timeout * 1000,
      now: Date.now,
    })
    return { server, sessions: new Set(), notified: new Set() }
  }

  #stop(key: string): void {
    const running = this.#running.get(key)
    if (running === undefined) return
    this.#running.delete(key)
    clearTimeout(running.idle)
    const stopping = running.server.stop().finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
  }
}

function matcherOf({ files }: ServerSettings): Entry["matches"] {
  const matchers = files.map((glob) => globMatcher(glob))
  return (path) => matchers.some((matches) => matches?.(path) === true)
}

function isDeletion({ after }: FileChange): boolean {
  return after === undefined
}

function keyOf(name: string, { cwd, env }: ToolContext): string {
  return JSON.stringify([name, cwd, withoutCall(env)])
}

function withoutCall(env: ToolContext["env"]): ToolContext["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== callVariable))
}
