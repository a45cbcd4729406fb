// A client of the writer process: starts a writer if none runs, sends requests in order and waits as long as the writer
// works. A frozen writer is killed. After the death of a writer, unanswered requests are sent again to the next one,
// marked as repeated, and stored once.
import { setTimeout as pause } from "node:timers/promises"
import { refused, type Outcome } from "../log/event-log.ts"
import { LogUnavailable, unavailable } from "../log/sqlite/faults.ts"
import { schemaVersion } from "../log/sqlite/schema.ts"
import type { WritePort, WriteAnswer, WriteRequest } from "../log/sqlite/writes/write-request.ts"
import { openWriterSocket, WriterConnection } from "./connection.ts"
import type { WriterFrame } from "./frames.ts"
import { readLink, type WriterPlace, placeOf } from "./place.ts"
import { version } from "../program/program-files.ts"
import { answerIn, encode, protocolVersion } from "./wire.ts"
import { openSharedLog, type SqliteLog, type SqliteLogOptions } from "../log/sqlite/sqlite-log.ts"
import { startWriter } from "./start.ts"

interface Waiting {
  readonly request: WriteRequest
  /** Number of writers to which it was sent. */
  sent: number
  readonly answer: (answer: WriteAnswer) => void
  readonly fail: (fault: unknown) => void
}

type Hello = Extract<WriterFrame, { hello: unknown }>["hello"]

/** Far more than one write per open session; further writes are refused, because the disk does not keep up. */
const MAX_WAITING = 50_000
/** Writers that may end during one request. With more, the request itself is the likely cause. */
const MAX_SENT = 20
/** How long to search for a writer before requests are refused. */
const MAX_CONNECT_MS = 60_000
const retryMs = 10

/** The log of a home as every process uses it: reads run here, writes go to the writer process. */
export function openLogWithWriter(options: SqliteLogOptions): Outcome<SqliteLog> {
  return openSharedLog(options, new WriterClient(placeOf(options.path), startWriter))
}

export class WriterClient implements WritePort {
  readonly #place: WriterPlace
  readonly #start: (place: WriterPlace) => Promise<void>
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #outgoing: number[] = []
  #connection: WriterConnection | undefined
  #connecting: Promise<void> | undefined
  #isClosed = false
  #onDrained: (() => void) | undefined

  constructor(place: WriterPlace, start: (place: WriterPlace) => Promise<void>) {
    this.#place = place
    this.#start = start
  }

  send(request: WriteRequest): Promise<WriteAnswer> {
    if (this.#isClosed) return Promise.resolve(unavailableNow("the log is closed"))
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.resolve(unavailableNow("too many writes are waiting for the disk"))
    return new Promise((answer, fail) => {
      const id = (this.#lastId += 1)
      this.#waiting.set(id, { request, sent: 0, answer, fail })
      // A tick, not a microtask: the requests of all sessions that continue after one answer go out in one write.
      if (this.#outgoing.length === 0) process.nextTick(() => this.#flush())
      this.#outgoing.push(id)
    })
  }

  /** Connects before the first write, which reports a failure. */
  connect(): void {
    this.prepare().catch(() => {})
  }

  async prepare(): Promise<void> {
    if (this.#connection !== undefined || this.#isClosed) return
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined))
    await this.#connecting
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => (this.#onDrained = resolve))
    this.#connection?.close()
    this.#connection = undefined
  }

  #flush(): void {
    if (this.#connection === undefined) return this.#reconnect()
    const ids = this.#outgoing
    this.#outgoing = []
    this.#transmit(this.#connection, ids)
  }

  #transmit(connection: WriterConnection, ids: Iterable<number>): void {
    let lines = ""
    for (const id of ids) {
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) continue
      lines += encode(
        waiting.sent > 0 ? { id, again: true, request: waiting.request } : { id, request: waiting.request },
      )
      waiting.sent += 1
    }
    connection.isWaiting = true
    connection.send(lines)
  }

  #reconnect(): void {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined))
    this.#connecting.catch((error: unknown) => this.#refuseAll(error))
  }

  async #connect(): Promise<void> {
    const deadline = performance.now() + MAX_CONNECT_MS
    while (!(await this.#tryConnect())) {
      if (performance.now() > deadline) throw new LogUnavailable(`no log writer responds in ${this.#place.folder}`)
    }
  }

  async #tryConnect(): Promise<boolean> {
    const name = readLink(this.#place.current)
    const socket = name === undefined ? undefined : await openWriterSocket(this.#place, name)
    if (name === undefined || socket === undefined) {
      await this.#start(this.#place)
      return false
    }
    const greeting = Promise.withResolvers<WriterFrame | undefined>()
    const connection: WriterConnection = new WriterConnection(
      socket,
      name,
      (frame) => ("hello" in frame || "refused" in frame ? greeting.resolve(frame) : this.#settle(frame)),
      () => {
        greeting.resolve(undefined)
        this.#onLost(connection)
      },
    )
    return this.#handleGreeting(connection, await greeting.promise)
  }

  async #handleGreeting(connection: WriterConnection, frame: WriterFrame | undefined): Promise<boolean> {
    if (frame !== undefined && "refused" in frame) throw new LogUnavailable(frame.refused)
    const hello = frame !== undefined && "hello" in frame && connection.isOpen ? frame.hello : undefined
    if (hello !== undefined && this.#accepts(connection, hello)) return true
    await pause(retryMs)
    return false
  }

  /** The newer of two releases writes. */
  #accepts(connection: WriterConnection, { protocol, schema, release }: Hello): boolean {
    if (protocol > protocolVersion || schema > schemaVersion) {
      connection.close()
      throw new LogUnavailable(newer(this.#place.database, release))
    }
    const isOlder = protocol < protocolVersion || schema < schemaVersion
    if (isOlder) connection.send(encode({ leave: true }))
    else this.#use(connection)
    return !isOlder
  }

  #use(connection: WriterConnection): void {
    if (this.#isClosed && this.#waiting.size === 0) return connection.close()
    this.#connection = connection
    this.#outgoing = []
    this.#transmit(connection, this.#waiting.keys())
    connection.isWaiting = this.#waiting.size > 0
  }

  #settle(frame: WriterFrame): void {
    if (!("id" in frame)) return
    const waiting = this.#waiting.get(frame.id)
    this.#waiting.delete(frame.id)
    if ("fault" in frame) waiting?.fail(new Error(`the log writer failed: ${frame.fault}`))
    else waiting?.answer(answerIn(frame.answer))
    if (this.#waiting.size > 0) return
    if (this.#connection !== undefined) this.#connection.isWaiting = false
    this.#onDrained?.()
  }

  #onLost(connection: WriterConnection): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    for (const [id, { sent, answer }] of this.#waiting) {
      if (sent < MAX_SENT) continue
      this.#waiting.delete(id)
      answer(unavailableNow(`the log writer ended ${sent} times during this write`))
    }
    if (this.#waiting.size > 0) this.#reconnect()
    else this.#onDrained?.()
  }

  #refuseAll(error: unknown): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#outgoing = []
    for (const { answer, fail } of waiting) {
      try {
        answer(refused(unavailable(error, this.#place.database)))
      } catch (fault) {
        fail(fault)
      }
    }
    this.#onDrained?.()
  }
}

function newer(database: string, release: string): string {
  const releases = `${database} is in use by Turnhouse ${release}, this is ${version()}`
  return `${releases}. Upgrade, end the processes of the other one, or set TURNHOUSE_HOME to another folder.`
}

function unavailableNow(what: string): WriteAnswer {
  return refused({ code: "log.unavailable", what })
}
