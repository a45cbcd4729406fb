// `npm run bench -- --peers`: other agents beside Turnhouse and the bare relay, in one run.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Noise } from "../doors/noise.ts"
import { Report } from "../doors/report.ts"
import { markdown, short } from "../doors/tables.ts"
import type { World } from "../doors/world.ts"
import type { Options } from "../options.ts"
import { codex } from "./codex.ts"
import { figures, measureRound, measureStart, type Sizes } from "./measure.ts"
import { opencode } from "./opencode.ts"
import * as ours from "./ours.ts"
import type { Peer, RunningPeer } from "./peer.ts"
import { newestPi, pi } from "./pi.ts"

const contenders: Readonly<Record<string, Peer>> = {
  bare: ours.bare,
  rpc: ours.rpc,
  ws: ours.ws,
  house: ours.house,
  pi,
  "pi-newest": newestPi,
  opencode,
  codex,
}
export const contenderNames = Object.keys(contenders)

const ROUNDS = 5
/** For one part of one contender; installing has the largest downloads. */
const LIMIT_MS = 300_000
const SIZES: Sizes = { turns: 10, burst: 5000, alone: 200, calls: 20 }
const QUICK_SIZES: Sizes = { turns: 1, burst: 100, alone: 10, calls: 2 }

/** What takes part, or why it does not. */
interface Entry {
  readonly peer: Peer
  version: string
  problem?: string
}

export async function comparePeers(world: World, options: Options, progress: (text: string) => void): Promise<number> {
  const names = options.only ?? contenderNames
  const entries = names.flatMap((name) => contenders[name] ?? []).map((peer): Entry => ({ peer, version: "" }))
  const [report, noise] = [new Report(), new Noise()]
  writeFileSync(join(world.folder, "file.txt"), "one\ntwo\n")
  noise.measure()
  await attempt(world, entries, async (entry) => {
    progress(`installing ${entry.peer.name}`)
    entry.version = await entry.peer.install(world)
  })
  const rounds = options.quick ? 1 : ROUNDS
  for (let round = options.quick ? 1 : 0; round <= rounds; round++)
    await attempt(world, entries, async ({ peer }) => {
      progress(`start of ${peer.name}, round ${round} of ${rounds}`)
      await measureStart(world, peer, round === 0 ? undefined : report)
    })
  noise.measure()
  await warmRounds(world, entries, rounds, options.quick ? QUICK_SIZES : SIZES, report, progress)
  noise.measure()
  if (world.isClosing) return 1
  print(entries, report, noise, options)
  return entries.some(({ peer, problem }) => peer.isOurs === true && problem !== undefined) ? 1 : 0
}

/** All processes stay, and take turns. */
async function warmRounds(
  world: World,
  entries: readonly Entry[],
  rounds: number,
  sizes: Sizes,
  report: Report,
  progress: (text: string) => void,
): Promise<void> {
  const running = new Map<Peer, RunningPeer>()
  await attempt(world, entries, async ({ peer }) => void running.set(peer, await peer.start(world)))
  for (let round = 0; round <= rounds; round++)
    await attempt(world, entries, async ({ peer }) => {
      progress(`${peer.name}, round ${round} of ${rounds}`)
      const process = running.get(peer)
      if (process === undefined || process.process.hasEnded) throw new Error("its process has ended")
      await measureRound(peer, process, sizes, round === 0 ? undefined : report)
    })
  await attempt(world, entries, async ({ peer }) => {
    const process = running.get(peer)
    if (process === undefined) return
    report.add(peer.name, figures.worked, "ours", process.process.memoryMiB)
    await process.stop()
  })
}

/** One that fails takes part no longer, and the others go on. */
async function attempt(world: World, entries: readonly Entry[], work: (entry: Entry) => Promise<void>): Promise<void> {
  for (const entry of entries) {
    if (entry.problem !== undefined || world.isClosing) continue
    try {
      await Promise.race([work(entry), world.failed, limit()])
    } catch (fault) {
      entry.problem = fault instanceof Error ? fault.message : String(fault)
      if (!world.isClosing) process.stderr.write(`bench: ${entry.peer.name} takes part no longer: ${entry.problem}\n`)
    }
  }
}

function limit(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`it did not answer within ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref()
  })
}

function print(entries: readonly Entry[], report: Report, noise: Noise, { json, quick }: Options): void {
  const names = entries.map(({ peer }) => peer.name)
  const rows = Object.values(figures).map((figure) => ({
    figure,
    values: Object.fromEntries(names.map((name) => [name, report.row("peers", name, figure, "").ours])),
  }))
  const about = entries.map(({ peer, version, problem }) => ({ name: peer.name, version, mode: peer.mode, problem }))
  if (json) return console.log(JSON.stringify({ contenders: about, slowdown: noise.slowdown(), rows }, undefined, 2))
  const described = about.map(({ name, version, mode, problem }) => [name, version, problem ?? mode])
  console.log(`### Other agents\n\n${markdown(["contender", "version", "how it was run"], described)}\n`)
  const cells = rows.map(({ figure, values }) => [
    figure,
    ...names.map((name) => short(values[name]?.median ?? Number.NaN)),
  ])
  console.log(`${markdown(["median", ...names], cells)}\n`)
  console.log(quick ? "A quick run: these figures measure nothing." : noise.sentence)
}
