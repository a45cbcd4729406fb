// Makes this process the writer of a home, or finds that another one is.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { openSocket } from "../transports/socket-address.ts"
import { hasCode, isAlive, makeLink, readLink, removeIfThere, removeLink, type WriterPlace } from "./place.ts"

/** False when another writer listens. One that is frozen still listens: its clients find that out and kill it. */
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
