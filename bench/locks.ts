// Cost of locks: acquiring and releasing one while another process does the same in the same database, against two bare
// transactions of the same size; and a call without locks in a host with locks, against one in a host without. Every
// number is measured in this run; bounds are printed beside it, and the exit code is 1 when one is missed.
// Run: node bench/locks.ts
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { openLocks } from "../src/app/settings/locks.ts"
import { retryWhileBusy } from "../src/features/locks/store/sqlite/retry-while-busy.ts"
import { thisHost } from "../src/log/process-identity.ts"
import { newSession, testHost, testTool, turn } from "../src/testing/test-host.ts"
import { scriptedSource } from "../src/testing/index.ts"
import { runAll } from "./run-all.ts"

const rounds = 2000
const warmUp = 200
const turns = 40
const warmTurns = 5
const samples = 15

const [mode, path = ""] = process.argv.slice(2)
if (mode === "locks" || mode === "bare") console.log(JSON.stringify(await fight(mode, path)))
else await runAll([between, withoutLocks])

/** Two concurrent processes; the slower one counts. */
async function between(folder: string): Promise<boolean> {
  const bare = Math.max(...(await twice("bare", join(folder, "bare"))))
  const locks = Math.max(...(await twice("locks", join(folder, "locks"))))
  console.log(`two bare transactions, median             ${bare.toFixed(3)} ms`)
  console.log(`a lock acquired and released, median      ${locks.toFixed(3)} ms  (bound: under 1)`)
  console.log(`  against the bare transactions           ${(locks / bare).toFixed(2)} times as long`)
  return locks < 1
}

function twice(which: "bare" | "locks", place: string): Promise<readonly number[]> {
  return Promise.all([1, 2].map(() => inAnotherProcess(which, place)))
}

async function inAnotherProcess(which: "bare" | "locks", place: string): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), which, place], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [line]: unknown[] = await once(createInterface({ input: child.stdout }), "line")
  return Number(line)
}

/** The median of one round, in milliseconds. */
async function fight(which: "bare" | "locks", place: string): Promise<number> {
  const round = which === "bare" ? bareRound(place) : await lockRound(place)
  const times: number[] = []
  for (let count = 0; count < rounds + warmUp; count++) {
    const began = performance.now()
    await round()
    if (count >= warmUp) times.push(performance.now() - began)
  }
  return median(times)
}

async function lockRound(place: string): Promise<() => Promise<void>> {
  const locks = await openLocks(place, {}, thisHost("bench")).load()
  const { signal } = new AbortController()
  const requests = [{ kind: "git_commit", scope: `/p${process.pid}` }] as const
  return async () => {
    const taken = await locks.acquireForCall({ holder: "bench", requests, description: "", signal, onWait: () => {} })
    if (taken.kind === "taken") await taken.hold.release()
  }
}

function bareRound(place: string): () => Promise<void> {
  const database = new DatabaseSync(place, { timeout: 5000 })
  database.exec("pragma journal_mode = wal; pragma synchronous = normal; create table if not exists t (id primary key)")
  const [put, take] = ["insert into t values (?)", "delete from t where id = ?"].map((sql) => database.prepare(sql))
  const change = (statement: typeof put) =>
    retryWhileBusy(place, () => {
      database.exec("begin immediate")
      statement?.run(process.pid)
      database.exec("commit")
    })
  return async () => {
    await change(put)
    await change(take)
  }
}

async function withoutLocks(folder: string): Promise<boolean> {
  const home = join(folder, "unused")
  const locks = openLocks(home, {}, thisHost("bench"))
  const [without, withThem] = [[] as number[], [] as number[]]
  for (let sample = 0; sample < samples; sample++) {
    withThem.push(await turnMs({ locks }))
    without.push(await turnMs({}))
  }
  const ratio = median(withThem) / median(without)
  const isUntouched = !existsSync(home)
  console.log(`a turn with a call, in a host without locks   ${median(without).toFixed(3)} ms`)
  console.log(`the same in a host with locks                 ${ratio.toFixed(2)} times as long  (bound: under 1.1)`)
  console.log(`  no lock database was created                ${isUntouched}`)
  return ratio < 1.1 && isUntouched
}

/** In a separate host. */
async function turnMs(change: Parameters<typeof testHost>[2]): Promise<number> {
  const steps = Array.from({ length: turns + warmTurns }, () => [
    [{ call: { tool: "look", input: {} } }],
    [{ text: "Seen." }],
  ]).flat()
  const look = testTool("look", () => ({ outcome: "done", output: "" }))
  const { host } = await testHost(scriptedSource(steps), [look], change)
  const session = await newSession(host)
  for (let count = 0; count < warmTurns; count++) await turn(session, "look")
  const began = performance.now()
  for (let count = 0; count < turns; count++) await turn(session, "look")
  const ms = (performance.now() - began) / turns
  await host.close()
  return ms
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}
