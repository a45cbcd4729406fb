// A home, a folder and a whole host in this process, for tests that change one setting and watch what a session does
// differently. Model calls go to a script or to a provider server on loopback, whose requests can be read.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { TestContext } from "vitest"
import { startHost, type RunningHost } from "../../src/app/compose.ts"
import { loadFolderConfig } from "../../src/app/settings/folder-config.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import type { Config } from "../../src/contract/config.ts"
import type { EventOf, EventType, SessionEvent } from "../../src/contract/events.ts"
import type { SessionHandle } from "../../src/contract/host-port.ts"
import type { SessionOptions } from "../../src/contract/session-options.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import type { Step } from "../../src/models/offline/part.ts"
import { endCommands } from "../e2e/hosts.ts"
import { program, shareCache } from "../e2e/place.ts"
import { Running, type Ended } from "../e2e/running.ts"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer, type ProviderServer } from "../provider-server/server.ts"

const driver = { principal: "driver", door: "test" }
/** A turn that has come to one of these goes on only when a person or a budget lets it. */
const stops: ReadonlySet<EventType> = new Set([
  "turn.ended",
  "turn.parked",
  "approval.requested",
  "verification.requested",
])

export class World {
  readonly root = mkdtempSync(join(tmpdir(), "turnhouse-settings-"))
  readonly home = join(this.root, "home")
  readonly cwd = join(this.root, "folder")
  readonly #test: Pick<TestContext, "onTestFinished">
  #scripts = 0

  constructor(test: Pick<TestContext, "onTestFinished">) {
    this.#test = test
    test.onTestFinished(async () => {
      await endCommands(this.home) // the program may have started one in the background
      rmSync(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    })
    mkdirSync(this.home, { mode: 0o700 })
    shareCache(this.home)
    mkdirSync(this.cwd)
  }

  write(path: string, text: string): string {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** The name of a model that says what the steps tell it. */
  script(...steps: readonly Step[]): string {
    this.#scripts += 1
    return `offline/script:${this.write(`script-${this.#scripts}.json`, JSON.stringify({ delayMs: 0, steps }))}`
  }

  /** The name of a model that calls one tool and then says "done". */
  calls(tool: string, input: JsonValue): string {
    return this.script([{ call: { tool, input } }], [{ text: "done" }])
  }

  async provider(...replies: readonly Reply[]): Promise<ProviderServer> {
    const always: Reply = { blocks: [{ text: "Hello." }], times: "always" }
    const server = await startProviderServer({ replies: [...replies, always] })
    this.#test.onTestFinished(() => server.close())
    return server
  }

  /** What becomes of a configuration file with this content. */
  async loads(content: object): Promise<string> {
    this.write("home/config.json", JSON.stringify(content))
    const trust = { state: "nothing", folder: this.cwd, files: [], warnings: [] } as const
    const loading = loadConfig({ env: {}, cwd: this.cwd, home: this.home, trust })
    return loading.then(
      () => "loaded",
      (fault: unknown) => String(fault),
    )
  }

  /** The real program in this home and folder. */
  program(...args: readonly string[]): Promise<Ended> {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.root, TURNHOUSE_HOME: this.home }
    const running = new Running(spawn(program, args, { cwd: this.cwd, env, stdio: "pipe" }))
    this.#test.onTestFinished(() => void running.signal("SIGKILL"))
    running.endInput("")
    return running.ended
  }

  /** `run` with this configuration on a terminal of its own; what the terminal shows is on stdout. */
  onTerminal(config: Config, command = "run go"): Running {
    this.write("home/config.json", JSON.stringify(config))
    const env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: this.root,
      TURNHOUSE_HOME: this.home,
      TERM: "xterm-256color",
    }
    const args = ["-qec", `${program} ${command}`, "/dev/null"]
    const running = new Running(spawn("/usr/bin/script", args, { cwd: this.cwd, env, stdio: "pipe" }))
    this.#test.onTestFinished(async () => {
      running.signal("SIGTERM")
      await running.ended
    })
    return running
  }

  async start(config: Config): Promise<RunningHost> {
    this.write("home/config.json", JSON.stringify(config))
    const place = { home: this.home, cwd: this.cwd }
    const started = await startHost(
      { ...place, ...(await loadFolderConfig(place)) },
      { role: "test", approvalWaitMs: "by preset" },
    )
    this.#test.onTestFinished(() => started.close())
    return started
  }

  async session(config: Config, wish: Partial<SessionOptions> = {}): Promise<SessionHandle> {
    return this.created(await this.start(config), wish)
  }

  async created({ port }: RunningHost, wish: Partial<SessionOptions> = {}): Promise<SessionHandle> {
    const opened = await port.create({ cwd: this.cwd, origin: "test", ...wish }, driver)
    if (opened.kind === "refused") throw new Error(JSON.stringify(opened.refusal))
    return opened.handle
  }

  /** The events of one turn in a new session, up to its end or to where it waits for a person. */
  async turn(config: Config, text = "hello", wish: Partial<SessionOptions> = {}): Promise<readonly SessionEvent[]> {
    return prompted(await this.session(config, wish), text)
  }

  /** What the only call of a turn came to: its output, why it was refused, or who is asked. */
  async call(config: Config, wish: Partial<SessionOptions> = {}): Promise<string> {
    return outcomeOfCall(await this.turn(config, "go", wish))
  }
}

/** A session of the WebSocket API with this agent. */
export function visitorOf(agentId: string): Partial<SessionOptions> {
  return { origin: "ws", preset: "service", service: { org: "public", owner: "", agentId } }
}

let prompts = 0

export async function prompted(
  handle: SessionHandle,
  text: string,
  more: { readonly untrustedSource?: string } = {},
): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = []
  const stopped = Promise.withResolvers<void>()
  let isLive = false
  const leave = await handle.watch(0, (item) => {
    if (item.kind !== "event" || !isLive) return
    events.push(item.recorded.event)
    if (stops.has(item.recorded.event.type)) stopped.resolve()
  })
  isLive = true // what came before belongs to earlier turns
  prompts += 1
  await handle.send({ type: "prompt", promptId: `prm_${prompts}`, text, ifBusy: "wait", ...more })
  await stopped.promise
  leave()
  return events
}

export function eventIn<Type extends EventType>(events: readonly SessionEvent[], type: Type): EventOf<Type> {
  const found = events.find((event): event is EventOf<Type> => event.type === type)
  if (found === undefined) throw new Error(`no ${type} among ${events.map((event) => event.type).join(", ")}`)
  return found
}

export function outcomeOfCall(events: readonly SessionEvent[]): string {
  const event = events.find(({ type }) =>
    ["tool.ended", "tool.refused", "approval.requested", "verification.requested"].includes(type),
  )
  if (event?.type === "tool.ended") return `${event.outcome}: ${event.output.trim()}`
  if (event?.type === "tool.refused") return `refused: ${event.reason}`
  if (event?.type === "approval.requested") return `asks the ${event.audience}`
  return event === undefined ? "no call" : event.type
}
