// `npm run bench`: our doors beside the bare limit of the same transport, in one run. See docs/performance.md.
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"
import { ratioChart } from "./doors/chart.ts"
import { deltas } from "./doors/loads/deltas.ts"
import { history } from "./doors/loads/history.ts"
import type { Load } from "./doors/loads/load.ts"
import { log } from "./doors/loads/log.ts"
import { memory } from "./doors/loads/memory.ts"
import { sessions } from "./doors/loads/sessions.ts"
import { start } from "./doors/loads/start.ts"
import { tools } from "./doors/loads/tools.ts"
import { turn } from "./doors/loads/turn.ts"
import { viewers } from "./doors/loads/viewers.ts"
import { Noise } from "./doors/noise.ts"
import { Report, type Row } from "./doors/report.ts"
import { tableMarkdown, tableText } from "./doors/tables.ts"
import { World } from "./doors/world.ts"
import { helpText, optionsIn, type Options } from "./options.ts"
import { contenderNames, comparePeers } from "./peers/compare.ts"

const loads: Readonly<Record<string, Load>> = { start, turn, deltas, sessions, viewers, tools, log, history, memory }
const results = fileURLToPath(new URL("results", import.meta.url))

/** The exit code after Ctrl-C. */
const INTERRUPTED = 130

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const options = optionsIn(args, Object.keys(loads), contenderNames)
  if (typeof options === "string") {
    process.stderr.write(`bench: ${options}\nTry 'npm run bench -- --help'.\n`)
    return 2
  }
  if (options.help) {
    process.stdout.write(helpText(Object.keys(loads), contenderNames))
    return 0
  }
  if (process.platform !== "linux") {
    process.stderr.write("bench: figures of processes come from /proc, which only Linux has\n")
    return 2
  }
  const world = await World.open()
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => void interrupted(world))
  try {
    const code = await (options.peers ? comparePeers(world, options, progressOf("peers")) : measure(world, options))
    return world.isClosing ? INTERRUPTED : code
  } finally {
    await world.close()
  }
}

async function interrupted(world: World): Promise<void> {
  await world.close()
  process.exit(INTERRUPTED)
}

async function measure(world: World, options: Options): Promise<number> {
  const [report, noise] = [new Report(), new Noise()]
  const failed: string[] = []
  const begun = performance.now()
  for (const name of options.only ?? Object.keys(loads)) {
    const before = report.rows.length
    noise.measure()
    const fault = await faultOf(name, world, report, options)
    if (world.isClosing) return INTERRUPTED
    noise.measure()
    if (fault !== undefined) failed.push(name)
    print(name, report.rows.slice(before), noise.isQuiet, options)
  }
  finish(report, noise, options, (performance.now() - begun) / 1000)
  for (const name of failed) process.stderr.write(`bench: the load ${name} failed: its figures are missing\n`)
  return failed.length === 0 && (options.quick || report.missed.length === 0) ? 0 : 1
}

/** A load that fails does not end the others. */
async function faultOf(name: string, world: World, report: Report, options: Options): Promise<unknown> {
  const progress = progressOf(name)
  progress("starts")
  try {
    const context = { world, report, isLong: options.long, isQuick: options.quick, progress }
    await Promise.race([loads[name]?.run(context), world.failed])
    return undefined
  } catch (fault) {
    if (!world.isClosing)
      process.stderr.write(
        `bench: ${name}: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}\n`,
      )
    return fault
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
  }
}

/** On a terminal one line that changes; elsewhere a line when a load starts. */
function progressOf(name: string): (text: string) => void {
  let isFirst = true
  return (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${name}: ${text}`)
    else if (isFirst) process.stderr.write(`${name}: ${text}\n`)
    isFirst = false
  }
}

function print(name: string, rows: readonly Row[], isQuiet: boolean, { json, markdown, charts }: Options): void {
  const title = loads[name]?.title ?? name
  if (markdown) console.log(`### ${title}\n\n${tableMarkdown(rows, isQuiet)}\n`)
  else if (!json) console.log(tableText(title, rows, isQuiet))
  if (!charts) return
  mkdirSync(results, { recursive: true })
  writeFileSync(`${results}/${name}.svg`, ratioChart(title, rows))
}

function finish({ rows, missed }: Report, noise: Noise, { json, quick }: Options, seconds: number): void {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}`
  if (json) return console.log(JSON.stringify({ machine, seconds, slowdown: noise.slowdown(), rows }, undefined, 2))
  const time = `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  console.log(`\n${machine}, ${time}. ${quick ? "A quick run: these figures measure nothing." : noise.sentence}`)
  if (quick) return
  const list = missed.map(({ load, door, figure }) => `${load}: ${figure} (${door})`).join("; ")
  console.log(missed.length === 0 ? "All targets met." : `Missed targets: ${list}.`)
}
