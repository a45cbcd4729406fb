// Where the writer of a log is: `turnhouse.db-writer/current` is a symbolic link to its socket, whose name identifies the
// process. So a client that gets no answer knows which process to check. Creating the link is atomic and fails if it
// exists: this makes a writer the only one. `starting` is a similar link of the process that starts a writer.
import { hash } from "node:crypto"
import { readlinkSync, renameSync, symlinkSync, unlinkSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { isStopped, startTimeOf, thisBoot } from "../log/process-identity.ts"
import { openSocket } from "../transports/socket-address.ts"

export interface WriterPlace {
  readonly database: string
  readonly folder: string
  readonly current: string
  readonly starting: string
}

export function placeOf(database: string): WriterPlace {
  const folder = `${database}-writer`
  return { database, folder, current: join(folder, "current"), starting: join(folder, "starting") }
}

/** Unique name of a process, different from a later one with the same pid; undefined if it is gone. */
export function nameOf(pid: number): string | undefined {
  const startTime = startTimeOf(pid)
  return startTime === undefined ? undefined : `${pid}-${hash("sha256", `${startTime} ${thisBoot()}`).slice(0, 12)}`
}

export function pidIn(name: string): number {
  return Number.parseInt(name, 10)
}

export function isAlive(name: string): boolean {
  return nameOf(pidIn(name)) === name
}

/** Alive but stopped by a signal. */
export function isFrozen(name: string): boolean {
  return isAlive(name) && isStopped(pidIn(name))
}

/** Killing a writer is always safe: it has no state besides the database, and clients repeat unanswered requests. */
export function killFrozen(name: string): boolean {
  if (!isFrozen(name)) return false
  try {
    return process.kill(pidIn(name), "SIGKILL")
  } catch {
    return false // gone in the meantime
  }
}

export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  }
}

/** False if the link exists. */
export function makeLink(name: string, path: string): boolean {
  try {
    symlinkSync(name, path)
    return true
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false
    throw error
  }
}

/** Removes the link if it still holds this name; one that another process has made meanwhile is put back. */
export function removeLink(path: string, name: string): void {
  const aside = `${path}-${process.pid}`
  try {
    renameSync(path, aside)
    if (readLink(aside) === name) unlinkSync(aside)
    else renameSync(aside, path)
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code))
}

/** Makes this process the writer; false if another one listens. A frozen one still listens: its clients kill it. */
export async function claim(place: WriterPlace, self: string): Promise<boolean> {
  for (;;) {
    if (makeLink(self, place.current)) {
      removeLeftovers(place, self)
      return true
    }
    const holder = readLink(place.current)
    if (holder === undefined) continue
    if (await listens(join(place.folder, holder))) return false
    removeLink(place.current, holder)
  }
}

async function listens(path: string): Promise<boolean> {
  try {
    const socket = await openSocket(path)
    socket.destroy()
    return true
  } catch (error) {
    return !hasCode(error, "ECONNREFUSED", "ENOENT")
  }
}

/** Sockets of writers that were killed. */
function removeLeftovers({ folder }: WriterPlace, self: string): void {
  for (const name of readdirSync(folder))
    if (/^\d+-[0-9a-f]{12}$/.test(name) && name !== self && !isAlive(name)) removeIfThere(join(folder, name))
}
