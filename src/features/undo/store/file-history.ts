// The file history of the sessions of a home: the state of a folder before and after each turn that can change files.
// Calls for one session come one after another; several hosts may use the same folder at once.
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { systemCode } from "../../../contract/faults.ts"
import type { SessionId, TurnId } from "../../../contract/ids.ts"
import type { UndoneFile } from "../../../contract/views/undo.ts"
import { findVersion, modeOf, type FileVersion } from "./file-version.ts"
import { entriesOf, shadowGit, type GitPlace } from "./git.ts"
import { pruneFolder } from "./prune-history.ts"
import { removeEmptyFolders, revertFile, type FileChange } from "./revert-file.ts"
import { keepTree, openShadow, SNAPSHOT_TIMEOUT_MS, takeSnapshot, type Snapshot } from "./shadow-repository.ts"
import { readRecord, writeRecord, type TurnRecord } from "./turn-record.ts"

export interface TurnPlace {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly cwd: string
}

export interface RevertedTurn {
  /** Absent: no call of the turn could change files, or its record was deleted. */
  readonly record: TurnRecord | undefined
  readonly files: readonly UndoneFile[]
  /** The state after the turn was not recorded. */
  readonly isLate: boolean
}

export interface RevertTurnOptions {
  readonly dryRun: boolean
  /** When the turn ended. */
  readonly endedAt: number
}

/** A file that is larger is not kept where there is no snapshot. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024

export class FileHistory {
  readonly #home: string

  constructor(home: string) {
    this.#home = home
  }

  /** To be called before a call that can change files; the first one of a turn takes the snapshot. */
  async before(place: TurnPlace): Promise<TurnRecord> {
    const file = this.#recordFile(place.sessionId, place.turnId)
    const known = await readRecord(file)
    if (known !== undefined) return known
    const record = recordBefore(place.cwd, await this.#snapshot(place))
    if (record.gitDir !== undefined && record.before !== undefined)
      await keepTree(gitPlace(record, place), place.sessionId, `${place.turnId}-before`, record.before)
    await writeRecord(file, record)
    return record
  }

  /** The state after a call: each replaces the one before. */
  async after(place: TurnPlace): Promise<void> {
    const record = await readRecord(this.#recordFile(place.sessionId, place.turnId))
    if (record?.gitDir === undefined || record.before === undefined) return
    const taken = await this.#snapshot(place)
    if (taken.kind === "none") return // the state after the turn is then judged by the time of each file
    if (taken.tree !== record.before) await keepTree(taken.shadow, place.sessionId, `${place.turnId}-after`, taken.tree)
    const uncovered = [...new Set([...record.uncovered, ...taken.uncovered])]
    const changed = { ...record, after: taken.tree, headAfter: taken.head, uncovered }
    await writeRecord(this.#recordFile(place.sessionId, place.turnId), changed)
    await pruneFolder(this.#home, taken.shadow, Date.now())
  }

  /** Where there is no snapshot: keeps files that a call is about to change. */
  async keepFiles(place: TurnPlace, files: readonly string[]): Promise<void> {
    await this.#changeImages(place, async (record) => {
      const known = new Set(record.images.map(({ file }) => file))
      const added = files
        .filter((file) => !known.has(file))
        .flatMap((file) => {
          const found = findVersion(file, "sha1")
          const isKept = found.kind === "none" || (found.kind === "file" && found.content.length <= MAX_IMAGE_BYTES)
          return isKept ? [{ file, found }] : []
        })
      for (const { found } of added)
        if (found.kind === "file") await this.#keepImage(place, found.version, found.content)
      const images = added.map(({ file, found }) => {
        const before = found.kind === "file" ? found.version : undefined
        return { file, before, after: before }
      })
      return { ...record, images: [...record.images, ...images] }
    })
  }

  /** The state of these files after a call. */
  async noteFiles(place: TurnPlace, files: readonly string[]): Promise<void> {
    await this.#changeImages(place, (record) => {
      const images = record.images.map((image) => {
        if (!files.includes(image.file)) return image
        const found = findVersion(image.file, "sha1")
        return { ...image, after: found.kind === "file" ? found.version : undefined }
      })
      return Promise.resolve({ ...record, images })
    })
  }

  /** Takes the files of one turn back, or says what that would do. */
  async revert(place: TurnPlace, { dryRun, endedAt }: RevertTurnOptions): Promise<RevertedTurn> {
    const record = await readRecord(this.#recordFile(place.sessionId, place.turnId))
    if (record === undefined) return { record, files: [], isLate: false }
    const isLate = record.before !== undefined && record.after === undefined
    const changes = await this.#changesOf(place, record)
    const algorithm = (record.before ?? "").length === 64 ? "sha256" : "sha1"
    const read = (hash: string) => this.#read(place, record, hash)
    const late = isLate ? { changedBefore: endedAt } : {}
    const files: UndoneFile[] = []
    // What was created goes first: a file may have taken the place of a folder.
    for (const change of changes.toSorted(
      (one, other) => Number(one.before !== undefined) - Number(other.before !== undefined),
    ))
      files.push(await revertFile(change, { algorithm, read, dryRun, ...late }))
    if (!dryRun) await this.#removeFolders(place, record, files)
    return { record, files, isLate }
  }

  async #removeFolders(place: TurnPlace, record: TurnRecord, files: readonly UndoneFile[]): Promise<void> {
    const deleted = files.filter(({ action }) => action === "deleted")
    if (deleted.length === 0 || record.before === undefined) return
    const args = ["ls-tree", "-r", "-d", "-z", "--name-only", record.before]
    const listed = await shadowGit(gitPlace(record, place), args, SNAPSHOT_TIMEOUT_MS)
    if (listed.kind !== "done") return
    const existed = new Set(entriesOf(listed.output).map((path) => join(record.folder, path)))
    removeEmptyFolders(
      record.folder,
      deleted.map(({ path }) => join(record.folder, path)),
      existed,
    )
  }

  async #changesOf(place: TurnPlace, record: TurnRecord): Promise<readonly FileChange[]> {
    if (record.before === undefined) return record.images.map((image) => ({ ...image, label: image.file }))
    const after = record.after ?? (await this.#lateTree(place))
    if (after === undefined || after === record.before) return []
    const args = ["diff-tree", "-r", "-z", "--no-renames", "--raw", record.before, after]
    const diff = await shadowGit(gitPlace(record, place), args, SNAPSHOT_TIMEOUT_MS)
    if (diff.kind !== "done") throw new Error(`the snapshots of the turn cannot be compared: ${describe(diff)}`)
    return changesIn(entriesOf(diff.output), record.folder)
  }

  async #lateTree(place: TurnPlace): Promise<string | undefined> {
    const taken = await this.#snapshot(place)
    return taken.kind === "taken" ? taken.tree : undefined
  }

  async #snapshot({ cwd, sessionId }: TurnPlace): Promise<Snapshot> {
    const shadow = await openShadow(this.#home, cwd, sessionId)
    return typeof shadow === "string" ? { kind: "none", reason: shadow } : takeSnapshot(shadow)
  }

  async #read(place: TurnPlace, record: TurnRecord, hash: string): Promise<Buffer | undefined> {
    if (record.gitDir === undefined) return readOrNone(this.#imageFile(place, hash))
    const read = await shadowGit(gitPlace(record, place), ["cat-file", "blob", hash], SNAPSHOT_TIMEOUT_MS)
    return read.kind === "done" ? read.output : undefined
  }

  async #changeImages(place: TurnPlace, change: (record: TurnRecord) => Promise<TurnRecord>): Promise<void> {
    const file = this.#recordFile(place.sessionId, place.turnId)
    const record = await readRecord(file)
    if (record !== undefined && record.before === undefined) await writeRecord(file, await change(record))
  }

  async #keepImage(place: TurnPlace, { hash }: FileVersion, content: Buffer): Promise<void> {
    await mkdir(join(this.#sessionFolder(place.sessionId), "images"), { recursive: true, mode: 0o700 })
    await writeFile(this.#imageFile(place, hash), content)
  }

  #imageFile({ sessionId }: TurnPlace, hash: string): string {
    return join(this.#sessionFolder(sessionId), "images", hash)
  }

  #recordFile(sessionId: SessionId, turnId: TurnId): string {
    return join(this.#sessionFolder(sessionId), `${turnId}.json`)
  }

  #sessionFolder(sessionId: SessionId): string {
    return join(this.#home, "snapshots", "turns", sessionId)
  }
}

function recordBefore(cwd: string, taken: Snapshot): TurnRecord {
  if (taken.kind === "none") return { folder: cwd, problem: taken.reason, uncovered: [], images: [] }
  const { shadow, tree, head, uncovered } = taken
  return { folder: shadow.workTree, gitDir: shadow.gitDir, before: tree, headBefore: head, uncovered, images: [] }
}

function gitPlace({ gitDir = "", folder }: TurnRecord, { sessionId }: TurnPlace): GitPlace {
  return { gitDir, workTree: folder, indexFile: join(gitDir, `index-${sessionId}`) }
}

/** Pairs of `:mode mode hash hash status` and path. */
function changesIn(entries: readonly string[], folder: string): readonly FileChange[] {
  const changes: FileChange[] = []
  for (let index = 0; index + 1 < entries.length; index += 2) {
    const [oldMode = "", newMode = "", oldHash = "", newHash = ""] = (entries[index] ?? "").slice(1).split(" ")
    const path = entries[index + 1] ?? ""
    const [before, after] = [version(oldMode, oldHash), version(newMode, newHash)]
    if (before !== undefined || after !== undefined)
      changes.push({ file: join(folder, path), label: path, before, after })
  }
  return changes
}

function version(mode: string, hash: string): FileVersion | undefined {
  const known = modeOf(mode)
  return known === undefined ? undefined : { mode: known, hash }
}

function describe(result: { readonly kind: string; readonly reason?: string }): string {
  return result.reason ?? result.kind
}

async function readOrNone(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return undefined
    throw fault
  }
}
