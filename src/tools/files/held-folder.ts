// Folders held by a descriptor. A process of the session may replace a folder of a checked path by a link. So the file
// tools open the folder from the root, one name at a time, without following links, and access files relative to it.
// On systems without /proc/self/fd (macOS) the resolved path is used, which such a replacement can still redirect.
import { closeSync, constants, fstatSync, mkdirSync, openSync, statSync, type BigIntStats } from "node:fs"
import { systemCode } from "../../contract/faults.ts"

/** Why nothing in this folder may be accessed, by whichever name it was reached; undefined when it may. */
export type GuardFolder = (folder: BigIntStats) => string | undefined

/** Called once for each path, so that the guard sees the current forbidden folders. */
export type GuardFolders = () => GuardFolder

/** The path leads into a folder that the guard forbids. */
export class ForbiddenFolder extends Error {
  override readonly name = "ForbiddenFolder"
}

export interface HoldOptions {
  readonly guardFolders: GuardFolders
  /** Creates missing folders. */
  readonly create?: boolean
}

/** Linux's O_PATH, which Node does not export: opens a folder without the permission to list it. */
const pathOnly = 0o10000000
const folderFlags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW
const canHold = process.platform === "linux"

export class HeldFolder implements Disposable {
  /** Valid as long as the folder is held. */
  readonly path: string
  readonly #descriptor: number | undefined

  constructor(path: string, descriptor: number | undefined) {
    this.path = path
    this.#descriptor = descriptor
  }

  /** The path of an entry. Callers must not follow a link in its last part. */
  at(name: string): string {
    return `${this.path}/${name}`
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}

/** `realPath` is resolved: a link in it was put there in the meantime, and fails with ENOTDIR. */
export function holdFolder(realPath: string, options: HoldOptions): HeldFolder {
  if (!canHold) return folderByName(realPath, options)
  const guardFolder = options.guardFolders()
  let descriptor = openSync("/", folderFlags)
  try {
    for (const name of realPath.split("/")) {
      if (name === "") continue
      const next = openBelow(heldPath(descriptor), name, options.create === true)
      closeSync(descriptor)
      descriptor = next
      const refusal = guardFolder(fstatSync(descriptor, { bigint: true }))
      if (refusal !== undefined) throw new ForbiddenFolder(refusal)
    }
    return new HeldFolder(heldPath(descriptor), descriptor)
  } catch (fault) {
    closeSync(descriptor)
    throw fault
  }
}

/** Forbids these folders and everything below, also after one of them was moved. */
export function forbidFolders(paths: readonly string[], describe: (path: string) => string): GuardFolders {
  const known = new Map<string, string>()
  const lookUp = () => {
    for (const path of paths) {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (stat !== undefined) known.set(identity(stat), path)
    }
  }
  lookUp()
  return () => {
    lookUp() // it may have been created or replaced since
    return (folder) => {
      const path = known.get(identity(folder))
      return path === undefined ? undefined : describe(path)
    }
  }
}

function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}

function openBelow(folder: string, name: string, create: boolean): number {
  const path = `${folder}/${name}`
  try {
    return openSync(path, folderFlags)
  } catch (fault) {
    if (!create || systemCode(fault) !== "ENOENT") throw fault
  }
  makeFolder(path)
  return openSync(path, folderFlags)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (fault) {
    if (systemCode(fault) !== "EEXIST") throw fault // another process was faster
  }
}

function heldPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

/** Not `recursive`, which never ends where nothing can be created, as in /proc. */
function folderByName(realPath: string, { create = false }: HoldOptions): HeldFolder {
  const names = realPath.split("/").filter((name) => name !== "")
  if (create) names.forEach((_, index) => makeFolder(`/${names.slice(0, index + 1).join("/")}`))
  return new HeldFolder(names.length === 0 ? "" : realPath, undefined)
}
