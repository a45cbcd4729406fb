// The writer process of a home: the only process that writes the database. It commits the requests of all clients in
// order of arrival, all waiting ones in one transaction, and answers when they are on disk. It has no state besides the
// database, so that it can be killed at any moment. It must not do anything else.
import { fsyncSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { withFile } from "../log/files.ts"
import { openDatabase } from "../log/sqlite/connection.ts"
import { messageOf } from "../log/sqlite/faults.ts"
import { noteRelease } from "../log/sqlite/release-note.ts"
import { schemaVersion } from "../log/sqlite/schema.ts"
import type { WriteRequest } from "../log/sqlite/writes/write-request.ts"
import { Writer } from "../log/sqlite/writes/writer.ts"
import { LineSplitter } from "../transports/framing/lines.ts"
import { bind } from "../transports/unix-socket.ts"
import { claim, hasCode, nameOf, placeOf, readLink, removeIfThere, removeLink, type WriterPlace } from "./place.ts"
import type { ClientFrame, WriterFrame } from "./frames.ts"
import { clientFrameIn, encode, MAX_LINE_BYTES, protocolVersion, requestIn } from "./wire.ts"

export interface WriterServerOptions {
  readonly database: string
  readonly release: string
  /** Authenticates the heads recorded outside the database; without it none are recorded. */
  readonly headKey?: Uint8Array | undefined
  /** Why the peer may not write; undefined if it may. */
  readonly refusePeer?: (socket: Socket) => string | undefined
  /** Time without a client after which it ends. */
  readonly idleMs?: number
}

type RequestFrame = Extract<ClientFrame, { id: number }>

interface Queued {
  readonly socket: Socket
  readonly id: number
  readonly request: WriteRequest
  readonly isRepeat: boolean
}

const IDLE_MS = 3000
/** How often a writer checks that it is still the writer of this home. */
const CHECK_MS = 500
/** How long a leaving writer waits for its clients to read its answers. */
const LEAVE_MS = 1000

/** Resolves when the writer has ended; `onReady` is called when this or another writer serves. */
export async function serveWriter(options: WriterServerOptions, onReady: () => void): Promise<void> {
  const place = placeOf(options.database)
  const self = nameOf(process.pid)
  if (self === undefined) throw new Error("this process has no start time")
  const server = createServer()
  const path = join(place.folder, self)
  await bind(server, path)
  if (await claim(place, self)) {
    const serving = new WriterServer(options, place, self, server)
    onReady()
    await serving.ended
  } else {
    onReady()
    server.close()
  }
  removeIfThere(path)
}

class WriterServer {
  readonly ended: Promise<void>
  readonly #options: WriterServerOptions
  readonly #place: WriterPlace
  readonly #self: string
  readonly #server: Server
  readonly #writer: Writer
  readonly #sockets = new Set<Socket>()
  readonly #check: NodeJS.Timeout
  readonly #end = Promise.withResolvers<void>()
  #queue: Queued[] = []
  #idleSince = performance.now()
  #isLeaving = false

  constructor(options: WriterServerOptions, place: WriterPlace, self: string, server: Server) {
    this.#options = options
    this.#place = place
    this.#self = self
    this.#server = server
    this.ended = this.#end.promise
    const { database: path } = place
    this.#writer = new Writer({ path, open: () => openSynced(path), headKey: options.headKey, checkpoints: true })
    this.#openDatabase()
    server.on("connection", (socket) => this.#accept(socket))
    server.on("error", () => {}) // a client that was not accepted retries
    this.#check = setInterval(() => this.#checkAlive(), CHECK_MS)
    process.once("SIGTERM", () => this.#shutDown())
  }

  /** Recovers and migrates before the first client reads. If this fails, each request is refused with the reason. */
  #openDatabase(): void {
    try {
      this.#writer.connection.exec("pragma user_version")
      noteRelease(this.#place.database, this.#options.release)
    } catch {
      this.#writer.connection.discard()
    }
  }

  #accept(socket: Socket): void {
    socket.on("error", () => socket.destroy())
    const refused = this.#options.refusePeer?.(socket)
    if (refused !== undefined) return void socket.end(encode({ refused }))
    this.#sockets.add(socket)
    socket.on("close", () => {
      this.#sockets.delete(socket)
      this.#idleSince = performance.now()
    })
    const { release } = this.#options
    socket.write(encode({ hello: { protocol: protocolVersion, schema: schemaVersion, release } }))
    const lines = new LineSplitter(MAX_LINE_BYTES, (line) => {
      if (line.kind === "line") this.#receive(socket, line.text)
      else socket.destroy()
    })
    socket.on("data", (bytes) => lines.push(bytes))
  }

  #receive(socket: Socket, line: string): void {
    try {
      const frame = clientFrameIn(line)
      if ("leave" in frame) return this.#shutDown()
      this.#enqueue(socket, frame)
    } catch {
      socket.destroy()
    }
  }

  #enqueue(socket: Socket, { id, again = false, request }: RequestFrame): void {
    const checked = requestIn(request)
    if (checked === undefined) return void socket.write(encode({ id, fault: "unknown request" }))
    if (this.#queue.length === 0) setImmediate(() => this.#commit())
    this.#queue.push({ socket, id, isRepeat: again, request: checked })
  }

  /** During a commit the next requests queue up in the sockets. */
  #commit(): void {
    const queue = this.#queue
    this.#queue = []
    if (this.#isLeaving || queue.length === 0) return // clients repeat unanswered requests
    const frames = this.#answer(queue)
    const bySocket = Map.groupBy(queue.keys(), (index) => queue[index]?.socket)
    for (const [socket, indexes] of bySocket)
      if (socket?.writable === true) socket.write(indexes.map((index) => frames[index]).join(""))
  }

  #answer(queue: readonly Queued[]): readonly string[] {
    const repeated = new Set(queue.filter(({ isRepeat }) => isRepeat).map(({ request }) => request))
    try {
      const answers = this.#writer.commit(
        queue.map(({ request }) => request),
        repeated,
      )
      return queue.map(({ id }, index) => encode({ id, answer: answers[index] }))
    } catch (fault) {
      return queue.map(({ id }): string => encode({ id, fault: messageOf(fault) } satisfies WriterFrame))
    }
  }

  /** Ends if it is not the writer any more, if its home is gone, or after some time without a client. */
  #checkAlive(): void {
    const isIdle = this.#sockets.size === 0 && performance.now() - this.#idleSince > (this.#options.idleMs ?? IDLE_MS)
    if (isIdle || readLink(this.#place.current) !== this.#self) this.#shutDown()
  }

  #shutDown(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    clearInterval(this.#check)
    removeLink(this.#place.current, this.#self)
    this.#server.close(() => this.#end.resolve())
    for (const socket of this.#sockets) socket.end(() => socket.destroy())
    setTimeout(() => this.#sockets.forEach((socket) => socket.destroy()), LEAVE_MS) // a frozen client reads nothing
    this.#writer.close() // SQLite checkpoints when no reader is left
  }
}

/** Writes of a killed writer may be in memory only: they are synced before they count as stored. */
function openSynced(path: string): ReturnType<typeof openDatabase> {
  try {
    withFile(`${path}-wal`, "r+", fsyncSync)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
  return openDatabase(path)
}
