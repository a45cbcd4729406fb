// Takes the place of the log writer, so that no process of the home can write: clients get `why` as the reason. When this
// process is killed, the next writer takes the place again.
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { LogUnavailable } from "../log/sqlite/faults.ts"
import { bind } from "../transports/unix-socket.ts"
import { openWriterSocket, WriterConnection } from "./connection.ts"
import type { WriterFrame } from "./frames.ts"
import { claim, nameOf, placeOf, readLink, removeIfThere, removeLink, type WriterPlace } from "./place.ts"
import { makeFolder } from "./start.ts"
import { encode } from "./wire.ts"

const RETRY_MS = 10
/** How long a running writer may take to end. */
const MAX_WAIT_MS = 30_000

/** Returns a function that gives the place back. */
export async function holdWriterPlace(database: string, why: string): Promise<() => void> {
  const place = placeOf(database)
  const self = nameOf(process.pid)
  if (self === undefined) throw new Error("this process has no start time")
  makeFolder(place)
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.end(encode({ refused: why }))
  })
  const path = join(place.folder, self)
  await bind(server, path)
  server.unref()
  const giveBack = () => {
    removeLink(place.current, self)
    server.close()
    removeIfThere(path)
  }
  try {
    await takePlace(place, self)
  } catch (error) {
    giveBack()
    throw error
  }
  return giveBack
}

async function takePlace(place: WriterPlace, self: string): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  while (!(await claim(place, self))) {
    if (performance.now() > deadline) throw new LogUnavailable(`the log writer in ${place.folder} does not end`)
    await askToLeave(place)
    await pause(RETRY_MS)
  }
}

/** Resolves when the connection to it has ended; rejects if this process must not write, or another one holds the place. */
async function askToLeave(place: WriterPlace): Promise<void> {
  const name = readLink(place.current)
  const socket = name === undefined ? undefined : await openWriterSocket(place, name)
  if (name === undefined || socket === undefined) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onFrame = (frame: WriterFrame) => {
    if ("refused" in frame) reject(new LogUnavailable(frame.refused))
  }
  const connection = new WriterConnection(socket, name, onFrame, resolve) // kills a writer that is frozen
  connection.send(encode({ leave: true }))
  await promise
}
