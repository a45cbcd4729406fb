// Deletes what undo no longer needs: the records of deleted sessions at once; once a day per folder those that are old,
// and the oldest half while the store of the folder is too large. Git then drops the objects.
import { spawn } from "node:child_process"
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { systemCode } from "../../../contract/faults.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { gitEnvironment, shadowGit, type GitPlace } from "./git.ts"

const DAY_MS = 24 * 60 * 60 * 1000
/** Turns can be undone for this long. */
const KEPT_MS = 14 * DAY_MS
const MAX_STORE_BYTES = 2 * 1024 * 1024 * 1024

export async function removeHistory(home: string, sessionId: SessionId): Promise<void> {
  const folders = join(home, "snapshots", "folders")
  for (const name of await namesIn(folders)) {
    const gitDir = join(folders, name)
    await rm(join(gitDir, "refs", "turnhouse", sessionId), { recursive: true, force: true })
    await rm(join(gitDir, `index-${sessionId}`), { force: true })
  }
  await rm(join(home, "snapshots", "turns", sessionId), { recursive: true, force: true })
}

/** Does nothing within a day of the last time. Objects are dropped by a process that nothing waits for. */
export async function pruneFolder(home: string, place: GitPlace, now: number): Promise<void> {
  const stamp = join(place.gitDir, "pruned")
  if (now - (await changedAt(stamp)) < DAY_MS) return
  await writeFile(stamp, "")
  await utimes(stamp, now / 1000, now / 1000)
  const kept = await keptTurns(place.gitDir)
  const old = kept.filter(({ at }) => now - at > KEPT_MS)
  const surplus = (await storeBytes(place)) > MAX_STORE_BYTES ? kept.slice(0, Math.ceil(kept.length / 2)) : []
  for (const turn of new Set([...old, ...surplus])) await forgetTurn(home, turn)
  await removeOldIndexes(place, now)
  const args = ["-c", "gc.packRefs=false", "gc", "--quiet", "--prune=1.hour.ago"]
  const env = gitEnvironment({ GIT_DIR: place.gitDir })
  spawn("git", args, { env, detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref()
}

interface KeptTurn {
  readonly sessionId: string
  readonly turnId: string
  readonly file: string
  readonly at: number
}

/** Oldest first. */
async function keptTurns(gitDir: string): Promise<readonly KeptTurn[]> {
  const root = join(gitDir, "refs", "turnhouse")
  const turns: KeptTurn[] = []
  for (const sessionId of await namesIn(root)) {
    for (const name of await namesIn(join(root, sessionId))) {
      const file = join(root, sessionId, name)
      turns.push({ sessionId, turnId: basename(name).replace(/-(before|after)$/, ""), file, at: await changedAt(file) })
    }
  }
  return turns.toSorted((one, other) => one.at - other.at)
}

async function forgetTurn(home: string, { sessionId, turnId, file }: KeptTurn): Promise<void> {
  await rm(join(home, "snapshots", "turns", sessionId, `${turnId}.json`), { force: true })
  await rm(file, { force: true })
}

async function storeBytes(place: GitPlace): Promise<number> {
  const counted = await shadowGit(place, ["count-objects", "-v"], 5000)
  const text = counted.kind === "done" ? counted.output.toString() : ""
  const kib = [...text.matchAll(/^size(?:-pack)?: (\d+)$/gm)].reduce((sum, [, size]) => sum + Number(size), 0)
  return kib * 1024
}

async function removeOldIndexes({ gitDir, indexFile }: GitPlace, now: number): Promise<void> {
  for (const name of await namesIn(gitDir)) {
    const file = join(gitDir, name)
    const isOld = name.startsWith("index-") && file !== indexFile && now - (await changedAt(file)) > DAY_MS
    if (isOld) await rm(file, { force: true })
  }
}

async function changedAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return 0
    throw fault
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return []
    throw fault
  }
}
