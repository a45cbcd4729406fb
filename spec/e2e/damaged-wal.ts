// A home whose newest events exist only in the write-ahead log, as after a crash, and ways to damage that log. What the
// damage destroys is computed with SQLite alone and compared with what the program reports.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { HeadFile, headFilePath } from "../../src/log/heads/head-file.ts"
import { headKey, homeKey } from "../../src/secrets/home-key.ts"
import { eventually } from "./eventually.ts"
import { idOf, type Place } from "./place.ts"

export interface CrashedHome {
  readonly folder: string
  readonly model: string
  /** All of it is in the database file. */
  readonly untouched: string
  /** Its first turn is in the database file, its second in the write-ahead log. */
  readonly continued: string
  /** All of it is in the write-ahead log. */
  readonly created: string
  readonly wal: Buffer
}

const databaseName = "turnhouse.db"
const files = [databaseName, `${databaseName}-wal`, `${databaseName}-heads`, "secret.key"]

/** A reader that holds on to an old state keeps the program from moving the write-ahead log into the database. */
export async function crashedHome(place: Place): Promise<CrashedHome> {
  const answers = Array.from({ length: 4 }, (_, index) => [{ text: `Answer ${index}.` }])
  const model = place.script(answers)
  await place.run("run", "one", "--model", model)
  const untouched = await place.newest()
  await place.run("run", "two", "--model", model)
  const continued = await place.newest()
  const release = holdState(place)
  await place.run("run", "go on", "--session", continued)
  await place.run("run", "three", "--model", model)
  const [newest] = await place.sessions()
  const created = idOf(newest)
  await allNoted(place)
  const folder = join(place.root, "crashed")
  mkdirSync(folder)
  for (const name of files) copyFileSync(join(place.home, name), join(folder, name))
  release()
  return { folder, model, untouched, continued, created, wal: readFileSync(join(folder, `${databaseName}-wal`)) }
}

/** Nothing that comes later is moved into the database, because all before it is there already. */
function holdState(place: Place): () => void {
  const database = new DatabaseSync(join(place.home, databaseName), { timeout: 10_000 })
  database.exec("pragma wal_checkpoint(truncate)")
  database.exec("begin")
  database.prepare("select count(*) from sessions").get()
  return () => database.close()
}

/** The newest events are noted within a second, also by a process that outlives the command. */
async function allNoted(place: Place): Promise<void> {
  const path = join(place.home, databaseName)
  const file = new HeadFile(headFilePath(path), headKey(homeKey(place.home)))
  await eventually("every head is noted", () => {
    const heads = headsIn(path)
    return [...heads].every(([id, seq]) => file.find(id)?.seq === seq) || undefined
  })
}

/** Session ids with the number of their newest event, as SQLite finds them. */
function headsIn(path: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(path)
  try {
    const rows = database.prepare("select session_id, seq from sessions").all()
    return new Map(rows.map((row) => [String(row["session_id"]), Number(row["seq"])]))
  } finally {
    database.close()
  }
}

/** Puts the crashed home in place with this write-ahead log. */
export function restore(crashed: CrashedHome, place: Place, wal: Uint8Array | undefined): void {
  for (const name of files) copyFileSync(join(crashed.folder, name), join(place.home, name))
  const path = join(place.home, `${databaseName}-wal`)
  if (wal !== undefined) writeFileSync(path, wal)
}

/** How many events each session has lost when SQLite recovers from this write-ahead log. */
export function lossesOf(crashed: CrashedHome, place: Place, wal: Uint8Array): ReadonlyMap<string, number> {
  const seqsWith = (bytes: Uint8Array) => {
    const folder = join(place.root, "scratch")
    if (!existsSync(folder)) mkdirSync(folder)
    const path = join(folder, databaseName)
    copyFileSync(join(crashed.folder, databaseName), path)
    writeFileSync(`${path}-wal`, bytes)
    writeFileSync(`${path}-shm`, "")
    return headsIn(path)
  }
  const before = seqsWith(crashed.wal)
  const after = seqsWith(wal)
  const losses = [...before].map(([id, seq]) => [id, seq - (after.get(id) ?? 0)] as const)
  return new Map(losses.filter(([, lost]) => lost > 0))
}

export function flip(wal: Uint8Array, offset: number): Buffer {
  const bytes = Buffer.from(wal)
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x10, offset)
  return bytes
}

export function cut(wal: Uint8Array, length: number): Buffer {
  return Buffer.from(wal.subarray(0, length))
}
