// Several real processes compete for locks of one table while some are frozen, woken and killed; then their records are
// checked against the guarantees of locks. `node spec/locks/contest.ts [--seconds 60] [--seed N]` runs longer than the
// tests. The clock of the locks runs 30 times as fast, so that a freeze of one second is a long one.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { blocks, isLockKind, type LockKind } from "../../src/features/locks/conflicts.ts"

/** One hold as its holder saw it, in milliseconds of the machine's own clock. */
export interface HeldLock {
  readonly holder: string
  readonly kind: LockKind
  readonly scope: string
  readonly fence: number
  /** When it was asked for, when it was had, when it was given back; undefined for one who never came to that. */
  readonly askedAt: number
  readonly gotAt: number
  readonly gaveAt: number | undefined
  /** The holder found out that it was not its own any more. */
  readonly lost: boolean
}

export interface Contest {
  readonly held: readonly HeldLock[]
  /** Who was frozen or killed, and when. */
  readonly hurt: readonly { readonly holder: string; readonly at: number }[]
}

export interface ContestOptions {
  readonly seconds: number
  readonly seed: number
  readonly contestants?: number
}

const contestant = fileURLToPath(new URL("contestant.ts", import.meta.url))
const freezeMs = 1200

export async function contest({ seconds, seed, contestants = 4 }: ContestOptions): Promise<Contest> {
  const folder = mkdtempSync(join(tmpdir(), "contest-"))
  const random = seeded(seed)
  const said: unknown[] = []
  const hurt: { holder: string; at: number }[] = []
  const children = new Map<string, ChildProcess>()
  const start = (holder: string) => {
    const args = [contestant, join(folder, "locks.db"), holder, String(Math.floor(random() * 1e9))]
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
    createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line)))
    children.set(holder, child)
  }
  for (let number = 1; number <= contestants; number++) start(`c${number}`)
  let count = contestants
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    await sleep(300)
    const names = [...children.keys()]
    const holder = names[Math.floor(random() * names.length)] ?? ""
    const child = children.get(holder)
    hurt.push({ holder, at: ticks() })
    if (random() < 0.3) {
      child?.kill("SIGKILL")
      children.delete(holder)
      start(`c${(count += 1)}`)
      await sleep(freezeMs)
      continue
    }
    child?.kill("SIGSTOP")
    await sleep(freezeMs)
    child?.kill("SIGCONT")
  }
  for (const child of children.values()) child.stdin?.end()
  await Promise.all([...children.values()].map(async (child) => child.exitCode ?? once(child, "exit")))
  rmSync(folder, { recursive: true })
  const lastReports = new Map(said.filter(isHeld).map((held) => [`${held.holder} ${held.fence}`, held]))
  return { held: [...lastReports.values()], hurt }
}

/** What is wrong with it, in sentences; nothing if all is well. */
export function faultsOf({ held, hurt }: Contest): readonly string[] {
  const byFence = held.toSorted((one, other) => one.fence - other.fence)
  return byFence.flatMap((first, index) =>
    byFence.slice(index + 1).flatMap((second) => {
      if (second.fence === first.fence) return [`the number ${first.fence} was given twice`]
      if (second.gotAt < first.askedAt) return [`${second.fence} was had before ${first.fence} was asked for`]
      if (second.holder === first.holder || !blocks(first, second)) return []
      if (first.gaveAt !== undefined && first.gaveAt <= second.gotAt) return []
      const isExcused = hurt.some(({ holder, at }) => holder === first.holder && at <= second.gotAt)
      if (!isExcused) return [`${second.fence} was granted while ${first.fence} was held by one who was well`]
      return first.gaveAt === undefined || first.lost
        ? []
        : [`${first.fence} did not notice that ${second.fence} had it`]
    }),
  )
}

/** The clock that all processes of the machine share. */
export function ticks(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}

/** The same for the same seed, everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function isHeld(value: unknown): value is HeldLock {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("fence" in value)) return false
  return typeof value.kind === "string" && isLockKind(value.kind)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } })
  const options = { seconds: Number(values.seconds ?? 60), seed: Number(values.seed ?? Date.now() % 1e6) }
  const result = await contest(options)
  const faults = faultsOf(result)
  for (const fault of faults) console.log(fault)
  const lost = result.held.filter((one) => one.lost).length
  console.log(
    `seed ${options.seed}: ${result.held.length} holds, ${result.hurt.length} freezes and kills, ${lost} losses noticed, ${faults.length} faults`,
  )
  process.exitCode = faults.length === 0 ? 0 : 1
}
