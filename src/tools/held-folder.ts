// Folders held by a descriptor. A path that was resolved and checked can lead elsewhere a moment later: a process of the
// session may swap a folder for a link. So the file tools walk down to the folder from the root, one name at a time,
// without following links, and use the file system only relative to what they hold.
// On systems without /proc/self/fd (macOS) the resolved path is used by name, which such a swap can still redirect.
import { closeSync, constants, fstatSync, mkdirSync, openSync, statSync, type BigIntStats } from "node:fs"
import { systemCode } from "./system-code.ts"

/** Says why nothing in this folder may be touched, under whatever name it was reached; undefined when it may. */
export type GuardFolder = (folder: BigIntStats) => string | undefined

/** Called once for each path, so that the guard can look at the forbidden folders as they are then. */
export type GuardFolders = () => GuardFolder

/** The path leads into a folder that the guard forbids. */
export class ForbiddenFolder extends Error {
  override readonly name = "ForbiddenFolder"
}

export interface HoldOptions {
  readonly guardFolders: GuardFolders
  /** Makes the folders that are missing. */
  readonly create?: boolean
}

/** Linux's O_PATH, for which Node has no name: holds a folder without the right to list it. */
const pathOnly = 0o10000000
const folderFlags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW
const canHold = process.platform === "linux"

export class HeldFolder implements Disposable {
  /** Leads to the folder as long as it is held. */
  readonly path: string
  readonly #descriptor: number | undefined

  constructor(path: string, descriptor: number | undefined) {
    this.path = path
    this.#descriptor = descriptor
  }

  /** The path of an entry. Calls that follow a link in the last place must be told not to. */
  at(name: string): string {
    return `${this.path}/${name}`
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}

/** `real` is a resolved path: a link on the way was put there in the meantime, and fails with ENOTDIR. */
export function holdFolder(real: string, options: HoldOptions): HeldFolder {
  if (!canHold) return folderByName(real, options)
  const guardFolder = options.guardFolders()
  let descriptor = openSync("/", folderFlags)
  try {
    for (const name of real.split("/")) {
      if (name === "") continue
      const next = openBelow(heldPath(descriptor), name, options.create === true)
      closeSync(descriptor)
      descriptor = next
      const why = guardFolder(fstatSync(descriptor, { bigint: true }))
      if (why !== undefined) throw new ForbiddenFolder(why)
    }
    return new HeldFolder(heldPath(descriptor), descriptor)
  } catch (fault) {
    closeSync(descriptor)
    throw fault
  }
}

/** Forbids these folders and all below them, also after one of them was moved to another place. */
export function forbidFolders(paths: readonly string[], why: (path: string) => string): GuardFolders {
  const known = new Map<string, string>()
  const look = () => {
    for (const path of paths) {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (stat !== undefined) known.set(identity(stat), path)
    }
  }
  look()
  return () => {
    look() // it may have been made, or made anew, since
    return (folder) => {
      const path = known.get(identity(folder))
      return path === undefined ? undefined : why(path)
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

/** One name after the other: where nothing can be made, as in /proc, `recursive` would never end. */
function folderByName(real: string, { create = false }: HoldOptions): HeldFolder {
  const names = real.split("/").filter((name) => name !== "")
  if (create) names.forEach((_, index) => makeFolder(`/${names.slice(0, index + 1).join("/")}`))
  return new HeldFolder(names.length === 0 ? "" : real, undefined)
}
