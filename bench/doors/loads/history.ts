// Conversations that grow: the time of a turn, pages of messages and memory after many turns; and opening a session of any length.
import { median } from "../../quantile.ts"
import type { Client } from "../clients/client.ts"
import { LineClient } from "../clients/line-client.ts"
import { SocketClient } from "../clients/socket-client.ts"
import { clockMs } from "../clock.ts"
import { kinds, type Contender, type Door, type Kind } from "../contender.ts"
import { eventsIn } from "../../../spec/e2e/printed.ts"
import { Place } from "../../../spec/e2e/place.ts"
import { makeLongSession } from "../../../spec/terminal/long-session.ts"
import type { World } from "../world.ts"
import type { LoadContext } from "./load.ts"

const SHORT = "3 tokens, one every 0 ms"
/** Turns before and at a size that its median is taken of. */
const NEAR = 10
const READS = 7
const OPENINGS = 5
/** As many messages before it are sent with each request, whatever the length of the session. */
const STORED = [10, 500, 5000]
const grown: readonly Door[] = ["rpc", "ws"]

export const history = {
  title: "Long conversations",
  async run(context: LoadContext): Promise<void> {
    const sizes = context.isQuick ? [1, 2] : [10, 500, 1000]
    for (const door of grown) await grow(context, door, sizes)
    await openings(context, context.isQuick ? [1, 2] : STORED)
  },
}

/** Every request repeats the whole conversation, that of the bare relay too. */
async function grow(context: LoadContext, door: Door, sizes: readonly number[]): Promise<void> {
  const { world, report, progress } = context
  const contenders = { bare: await world.start(door, "bare"), ours: await world.start(door, "ours") }
  const clients = { bare: await contenders.bare.connect(), ours: await contenders.ours.connect() }
  for (const kind of kinds) {
    await clients[kind].ask()
    report.add(door, "RSS when idle", kind, contenders[kind].process.memoryMiB)
    report.add(door, "RSS when idle, with the log writer", kind, contenders[kind].process.allMemoryMiB)
  }
  const last = sizes.at(-1) ?? 0
  for (let turn = 1; turn <= last; turn++) {
    if (turn % 50 === 0) progress(`${door}: ${turn} of ${last} turns`)
    for (const kind of kinds) await growByOne(context, door, kind, clients[kind], contenders[kind], turn, sizes)
  }
  await readMessages(context, door, clients.ours, last)
  for (const kind of kinds) {
    clients[kind].close()
    await contenders[kind].stop()
  }
  addRows(context, door, sizes)
}

async function growByOne(
  { report }: LoadContext,
  door: Door,
  kind: Kind,
  client: Client,
  { process }: Contender,
  turn: number,
  sizes: readonly number[],
): Promise<void> {
  const { sentAt, endAt } = await client.turn(SHORT)
  const size = sizes.find((each) => turn > each - NEAR && turn <= each)
  if (size !== undefined) report.add(door, turnAt(size), kind, endAt - sentAt)
  if (turn === 1 || sizes.includes(turn)) report.add(door, memoryAt(turn), kind, process.memoryMiB)
}

/** Twice as many messages as turns: at once, or in pages of 100. */
async function readMessages({ report }: LoadContext, door: Door, client: Client, turns: number): Promise<void> {
  for (let read = 0; read < READS; read++) {
    const begun = clockMs()
    if (client instanceof SocketClient) await client.readAll(100)
    else if (client instanceof LineClient)
      await client.request({ type: "get_messages", id: "m" }, (line) => line.includes('"id":"m"'))
    report.add(door, `reading ${turns} turns`, "ours", clockMs() - begun)
  }
}

function addRows({ report }: LoadContext, door: Door, sizes: readonly number[]): void {
  for (const size of sizes) report.row("history", door, turnAt(size), "ms")
  report.row("history", door, "RSS when idle", "MiB")
  report.row("history", door, "RSS when idle, with the log writer", "MiB")
  for (const size of [1, ...sizes.filter((each) => each > 1)])
    report.row("history", door, memoryAt(size), "MiB", size === 500 ? { of: "alone", atMost: 140 } : undefined)
  const last = sizes.at(-1) ?? 0
  // the target is 15 ms for 500 turns over WebSocket
  const bound = door === "ws" ? ({ of: "alone", atMost: (15 * last) / 500 } as const) : undefined
  report.row("history", door, `reading ${last} turns`, "ms", bound)
}

/** New processes continue stored sessions of different lengths, in turn; with a snapshot and a summary every 20 turns. */
async function openings({ world, report, isQuick, progress }: LoadContext, sizes: readonly number[]): Promise<void> {
  progress(`making sessions of ${sizes.join(", ")} turns`)
  const { home, ids } = await storedSessions(world, sizes)
  for (let round = isQuick ? 1 : 0; round <= (isQuick ? 1 : OPENINGS); round++)
    for (const [size, id] of ids) {
      progress(`opening ${size} turns, round ${round}`)
      const { openMs, turnMs } = await openStored(world, home, id)
      if (round === 0) continue
      report.add("rpc", openAt(size), "ours", openMs)
      report.add("rpc", storedAt(size), "ours", turnMs)
    }
  addFlatRows(report, sizes, openAt)
  addFlatRows(report, sizes, storedAt)
}

async function storedSessions(world: World, sizes: readonly number[]) {
  const place = new Place().open()
  world.onClose(() => place.close())
  const ids = new Map<number, string>()
  const first = eventsIn(await place.log(await makeLongSession(place, 0))).map(({ event }) => event.type)
  const eventsOfTurn = first.length - first.indexOf("prompt.admitted")
  for (const size of sizes) ids.set(size, await makeLongSession(place, (size - 1) * eventsOfTurn))
  world.configure(place.home)
  return { home: place.home, ids }
}

async function openStored(world: World, home: string, id: string): Promise<{ openMs: number; turnMs: number }> {
  const begun = clockMs()
  const contender = await world.start("rpc", "ours", { home, args: ["--continue", id, "--model", "local/m"] })
  const client = contender.first
  if (client === undefined) throw new Error("there is no conversation")
  await client.ask()
  const openMs = clockMs() - begun
  const times: number[] = []
  for (let turn = 0; turn < NEAR; turn++) {
    const { sentAt, endAt } = await client.turn(SHORT)
    times.push(endAt - sentAt)
  }
  await contender.stop()
  return { openMs, turnMs: median(times.slice(2)) }
}

/** Flat: at most a tenth more than with the shortest one. */
function addFlatRows(report: LoadContext["report"], sizes: readonly number[], figure: (size: number) => string): void {
  const [first = 0, ...others] = sizes
  const atMost = Number((report.row("history", "rpc", figure(first), "ms").ours.median * 1.1).toFixed(2))
  for (const size of others) report.row("history", "rpc", figure(size), "ms", { of: "alone", atMost })
}

function turnAt(size: number): string {
  return `turn ${size} of a conversation`
}

function memoryAt(turn: number): string {
  return `RSS after ${turn} ${turn === 1 ? "turn" : "turns"}`
}

function openAt(size: number): string {
  return `start and open ${size} stored turns`
}

function storedAt(size: number): string {
  return `turn after ${size} stored turns`
}
