// Rounds of tools: the model answers with one call, gets its result, and answers with the next one.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { kinds, type Contender, type Door } from "../contender.ts"
import type { World } from "../world.ts"
import { writeExtension } from "../extension.ts"
import type { LoadContext } from "./load.ts"

const CALLS = 50
/** A turn of a visitor may take so many. */
const VISITOR_CALLS = 16
const ROUNDS = 3
const TOKENS = 3
const SHORT = `${TOKENS} tokens, one every 0 ms`

interface Variant {
  readonly name: string
  readonly door: Door
  readonly tools: readonly ("read" | "bash true" | "git add")[]
  readonly settings?: object
  readonly bounds: Readonly<Record<string, number>>
}

export const tools = {
  title: "Rounds of tools",
  async run(context: LoadContext): Promise<void> {
    const { world, progress } = context
    const all = variants(world)
    for (const variant of all) {
      if (variant.name !== "in the sandbox" || hasSandbox()) await measure(context, variant)
      else progress("bubblewrap does not work here: rounds in the sandbox are not measured\n")
    }
  },
}

function variants(world: World): readonly Variant[] {
  const base = { allow: ["*"], sandbox: "off" }
  const plugins = world.path("plugins")
  writeExtension(plugins)
  return [
    { name: "", door: "rpc", tools: ["read", "bash true"], bounds: { read: 1.5, "bash true": 8 } },
    { name: "", door: "ws", tools: ["read", "bash true"], bounds: { read: 1.5, "bash true": 8 } },
    {
      name: "in the sandbox",
      door: "rpc",
      tools: ["bash true"],
      settings: { tools: { ...base, sandbox: "require" } },
      bounds: { "bash true": 15 },
    },
    {
      name: "with an extension",
      door: "rpc",
      tools: ["read", "bash true"],
      settings: { extensions: { paths: [plugins] } },
      bounds: {},
    },
    { name: "with a lock", door: "rpc", tools: ["git add"], bounds: {} },
  ]
}

async function measure({ world, report, isQuick, progress }: LoadContext, variant: Variant): Promise<void> {
  const { name, door, settings = {} } = variant
  const contenders = { bare: await world.start(door, "bare"), ours: await world.start(door, "ours", { settings }) }
  const [calls, rounds] = isQuick ? [2, 1] : [door === "ws" ? VISITOR_CALLS : CALLS, ROUNDS]
  for (const tool of variant.tools) {
    const figure = name === "" ? tool : `${tool}, ${name}`
    for (let round = isQuick ? 1 : 0; round <= rounds; round++) {
      progress(`${door}, ${figure}: ${round} of ${rounds}`)
      for (const kind of kinds) {
        const { ms, cpuMs } = await toolTurn(
          contenders[kind],
          `${calls} calls of ${callOf(world, tool)}, then ${SHORT}`,
        )
        if (round === 0) continue // warms up
        report.add(door, figure, kind, ms / calls)
        report.add(door, `${figure}, CPU`, kind, cpuMs / calls)
      }
    }
    const bound = variant.bounds[tool]
    report.row("tools", door, figure, "ms a round", bound === undefined ? undefined : { of: "alone", atMost: bound })
    report.row("tools", door, `${figure}, CPU`, "ms a round")
  }
  await Promise.all(kinds.map((kind) => contenders[kind].stop()))
}

async function toolTurn(contender: Contender, wish: string): Promise<{ ms: number; cpuMs: number }> {
  const client = await contender.connect()
  await client.ask()
  const cpuBefore = contender.process.cpuMs
  const { sentAt, endAt, tokens } = await client.turn(wish)
  client.close()
  if (tokens !== TOKENS) throw new Error(`a turn ended before all calls were made: ${wish}`)
  return { ms: endAt - sentAt, cpuMs: contender.process.cpuMs - cpuBefore }
}

function callOf(world: World, tool: Variant["tools"][number]): string {
  if (tool === "bash true") return `bash {"command":"true #"}`
  const folder = join(world.folder, "repository")
  if (tool === "git add") return `bash {"command":"cd ${repository(folder)} && git add --dry-run file.txt && : #"}`
  const path = join(world.folder, "file.txt")
  writeFileSync(path, "one\ntwo\n")
  return `read {"path":"${path}","limit":1#}`
}

function repository(folder: string): string {
  mkdirSync(folder, { recursive: true })
  execFileSync("git", ["init", "--quiet"], { cwd: folder })
  writeFileSync(join(folder, "file.txt"), "one\n")
  return folder
}

function hasSandbox(): boolean {
  try {
    execFileSync("bwrap", ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "true"], {
      stdio: "ignore",
    })
    return true
  } catch {
    return false
  }
}
