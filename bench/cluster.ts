// A cluster beside its parts: what another node adds to a delta, durable appends on PostgreSQL beside pgbench, the processor
// time of three nodes beside one, and what idle nodes ask of PostgreSQL. See docs/performance.md.
import { parseArgs } from "node:util"
import { appends } from "./cluster/appends.ts"
import { delay } from "./cluster/delay.ts"
import { idle } from "./cluster/idle.ts"
import { nodes } from "./cluster/nodes.ts"
import type { Part } from "./cluster/part.ts"
import { startServers, type Servers } from "./cluster/servers.ts"
import { Noise } from "./doors/noise.ts"
import { Report } from "./doors/report.ts"
import { tableMarkdown, tableText } from "./doors/tables.ts"
import { World } from "./doors/world.ts"

const parts: Readonly<Record<string, Part>> = { delay, appends, nodes, idle }

/** The exit code after Ctrl-C. */
const INTERRUPTED = 130

const help = `node bench/cluster.ts [OPTIONS] [PART…]

Measures a cluster on this machine, with PostgreSQL (fsync on) and NATS of its own, which are installed if they are missing
(Debian, as root). Linux only. On two idle cores all parts take less than four minutes.

Parts, all of them by default:
${Object.entries(parts)
  .map(([name, { title }]) => `  ${name.padEnd(10)}${title}`)
  .join("\n")}

  --quick      a few repetitions of each: shows that everything works, and measures nothing
  --markdown   print the tables of docs/performance.md
  -h, --help   show this

Progress is on stderr, results on stdout. Ctrl-C ends all processes and removes the temporary folders. Exits with 1 if a part
failed or, unless --quick, a target was missed, with 2 for a wrong argument, with 130 after Ctrl-C.
`

interface Options {
  readonly names: readonly string[]
  readonly isQuick: boolean
  readonly isMarkdown: boolean
}

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const options = optionsIn(args)
  if (typeof options === "string") {
    process.stderr.write(`bench: ${options}\nTry 'node bench/cluster.ts --help'.\n`)
    return 2
  }
  if (options === undefined) {
    process.stdout.write(help)
    return 0
  }
  if (process.platform !== "linux") {
    process.stderr.write("bench: figures of processes come from /proc, which only Linux has\n")
    return 2
  }
  const world = await World.open()
  const interrupt = async () => {
    await world.close()
    process.exit(INTERRUPTED)
  }
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => void interrupt())
  try {
    const code = await measure(world, await startServers(world), options)
    return world.isClosing ? INTERRUPTED : code
  } catch (fault) {
    if (world.isClosing) return INTERRUPTED
    process.stderr.write(`bench: ${textOf(fault)}\n`)
    return 1
  } finally {
    await world.close()
  }
}

/** Undefined: the help is wanted. */
function optionsIn(args: readonly string[]): Options | string | undefined {
  const no = { type: "boolean", default: false } as const
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { quick: no, markdown: no, help: { ...no, short: "h" } },
    })
    if (values.help) return undefined
    const unknown = positionals.find((name) => parts[name] === undefined)
    if (unknown !== undefined) return `there is no part ${unknown}. There are: ${Object.keys(parts).join(", ")}.`
    const names = positionals.length === 0 ? Object.keys(parts) : positionals
    return { names, isQuick: values.quick, isMarkdown: values.markdown }
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault)
  }
}

async function measure(world: World, servers: Servers, { names, isQuick, isMarkdown }: Options): Promise<number> {
  const [report, noise, begun] = [new Report(), new Noise(), performance.now()]
  let failed = 0
  for (const name of names) {
    const before = report.rows.length
    const progress = (text: string) => process.stderr.write(`${name}: ${text}\n`)
    noise.measure()
    try {
      await Promise.race([parts[name]?.run({ world, servers, report, progress, isQuick }), world.failed])
    } catch (fault) {
      if (world.isClosing) return INTERRUPTED
      process.stderr.write(`bench: ${name}: ${textOf(fault)}\n`)
      failed += 1
    }
    noise.measure()
    const { title = name, legend = "" } = parts[name] ?? {}
    const rows = report.rows.slice(before)
    if (isMarkdown) console.log(`### ${title}\n\n${legend}\n\n${tableMarkdown(rows, noise.isQuiet)}\n`)
    else console.log(`${tableText(title, rows, noise.isQuiet)}\n  ${legend}`)
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`\n${seconds} s. ${isQuick ? "A quick run: these figures measure nothing." : noise.sentence}`)
  const missed = isQuick ? [] : report.missed
  for (const { figure } of missed) console.log(`Missed target: ${figure}.`)
  return failed === 0 && missed.length === 0 ? 0 : 1
}

function textOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}
