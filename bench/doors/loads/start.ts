// From the start of a process to its first line, its first answered request and its first delta. Every process is new; their code is
// compiled already, as after the first start of an installation.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Window } from "../../../spec/terminal/window.ts"
import { clockMs } from "../clock.ts"
import { kinds, type Door, type Kind } from "../contender.ts"
import { TurnClock } from "../turn-times.ts"
import { turnhouse, type World } from "../world.ts"
import type { LoadContext } from "./load.ts"

const ROUNDS = 6
const SHORT = "3 tokens, one every 0 ms"
const started: readonly Door[] = ["rpc", "ws", "house"]

export const start = {
  title: "Start of a process",
  async run(context: LoadContext): Promise<void> {
    const { report, isQuick, progress } = context
    const rounds = isQuick ? 1 : ROUNDS
    for (let round = 0; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      const isCounted = round > 0 // the first one compiles the code
      const add = (door: string, figure: string, kind: Kind, value: number) =>
        isCounted && report.add(door, figure, kind, value)
      add("-", "bare node, start to end", "ours", await bareNodeMs())
      for (const door of started) for (const kind of kinds) await startDoor(context.world, door, kind, add)
      for (const kind of kinds) await startRun(context.world, kind, add)
      await startTerminal(context.world, add)
    }
    report.row("start", "-", "bare node, start to end", "ms")
    for (const door of [...started, "run", "terminal"]) addRows(context, door)
  },
}

type Add = (door: string, figure: string, kind: Kind, value: number) => void

function addRows({ report }: LoadContext, door: string): void {
  if (door !== "run") report.row("start", door, door === "terminal" ? "first paint" : "ready", "ms")
  if (door === "terminal") report.row("start", door, "session is open", "ms")
  else if (door !== "run") report.row("start", door, "first answered request", "ms", { of: "ratio", atMost: 1.5 })
  report.row("start", door, "first delta", "ms", { of: "alone", atMost: 140 })
  if (door === "run") report.row("start", door, "end of the process", "ms")
  else if (door !== "terminal")
    report.row("start", door, "first turn, more than the next", "ms", { of: "alone", atMost: 30 })
}

async function startDoor(world: World, door: Door, kind: Kind, add: Add): Promise<void> {
  const begun = clockMs()
  const contender = await world.start(door, kind)
  const client = await contender.connect()
  await client.ask()
  add(door, "ready", kind, contender.readyMs)
  add(door, "first answered request", kind, clockMs() - begun)
  const first = await client.turn(SHORT)
  add(door, "first delta", kind, first.firstAt - begun)
  const second = await client.turn(SHORT)
  add(door, "first turn, more than the next", kind, first.firstAt - first.sentAt - (second.firstAt - second.sentAt))
  client.close()
  await contender.stop()
}

/** `turnhouse run` prints the answer as it comes; bare is a process that prints the provider's text. */
async function startRun(world: World, kind: Kind, add: Add): Promise<void> {
  const [command, ...args] = kind === "ours" ? [turnhouse, "run", SHORT] : world.bareFor("run", "chat", SHORT)
  const begun = clockMs()
  const env = kind === "ours" ? world.env(world.newHome()) : world.bareEnv(world.newHome())
  const child = spawn(command, args, { cwd: world.folder, env, stdio: ["ignore", "pipe", "ignore"] })
  const clock = new TurnClock()
  child.stdout.setEncoding("utf8").on("data", (text: string) => clock.text(text, text.length))
  const [code]: unknown[] = await once(child, "close")
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${String(code)}`)
  add("run", "first delta", kind, clock.end().firstAt - begun)
  add("run", "end of the process", kind, clockMs() - begun)
}

/** `turnhouse` alone on a pseudo-terminal; the host that it needs is not running. */
async function startTerminal(world: World, add: Add): Promise<void> {
  const home = world.newHome()
  const begun = clockMs()
  const window = new Window(turnhouse, [], { cwd: world.folder, env: world.env(home), columns: 100, rows: 30 })
  await window.until("a first line", () => window.text.trim() !== "" || undefined)
  add("terminal", "first paint", "ours", clockMs() - begun)
  await window.shows("New session in")
  add("terminal", "session is open", "ours", clockMs() - begun)
  window.type(SHORT)
  await window.shows(SHORT)
  window.type("\r")
  await window.until("a token", () => /\d+\.\d{3};/.test(window.text) || undefined)
  add("terminal", "first delta", "ours", clockMs() - begun)
  await window.close()
  await world.endHelpers(home)
}

async function bareNodeMs(): Promise<number> {
  const begun = clockMs()
  await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit")
  return clockMs() - begun
}
