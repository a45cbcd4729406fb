// A short turn in a process that is warm: what is added to its first delta and to its end, and what it costs.
import { DatabaseSync } from "node:sqlite"
import { doors, kinds, type Contender, type Door, type Kind } from "../contender.ts"
import type { Client } from "../clients/client.ts"
import { clockMs } from "../clock.ts"
import type { Format } from "../world.ts"
import type { LoadContext } from "./load.ts"

const WARM_UP = 40
const TURNS = 100
/** Turns of a conversation: every request repeats all of it. */
const PER_CONVERSATION = 10
const SHORT = "3 tokens, one every 2 ms"

export const turn = {
  title: "A short turn in a warm process",
  async run(context: LoadContext): Promise<void> {
    for (const door of doors) await measureDoor(context, door, "chat")
    await measureDoor(context, "ws", "anthropic")
    addRows(context)
  },
}

async function measureDoor(context: LoadContext, door: Door, format: Format): Promise<void> {
  const { world, report, isQuick, progress } = context
  const name = nameOf(door, format)
  const contenders = {
    bare: await world.start(door, "bare", { format }),
    ours: await world.start(door, "ours", { format }),
  }
  const commit = commits(world.path(`commits-${name}.db`))
  const [warmUp, turns] = isQuick ? [0, PER_CONVERSATION] : [WARM_UP, TURNS]
  for (let done = -warmUp; done < turns; done += PER_CONVERSATION) {
    progress(`${name}: ${Math.max(0, done)} of ${turns} turns`)
    for (const kind of kinds) {
      const add = (figure: string, value: number) => done >= 0 && report.add(name, figure, kind, value)
      await conversation(contenders[kind], kind, add, commit)
    }
  }
  await Promise.all(kinds.map((kind) => contenders[kind].stop()))
}

function nameOf(door: Door, format: Format): string {
  return format === "chat" ? door : `${door}, Anthropic`
}

async function conversation(
  contender: Contender,
  kind: Kind,
  add: (figure: string, value: number) => void,
  commit: () => number,
): Promise<void> {
  const client = await contender.connect()
  await client.ask()
  const [cpuBefore, writesBefore] = [contender.process.cpuMs, contender.process.writeCalls]
  for (let count = 0; count < PER_CONVERSATION; count++) await oneTurn(client, add)
  add("CPU of a turn", (contender.process.cpuMs - cpuBefore) / PER_CONVERSATION)
  add("write calls of a turn", (contender.process.writeCalls - writesBefore) / PER_CONVERSATION)
  if (kind === "ours")
    for (let count = 0; count < PER_CONVERSATION; count++) add("a durable commit of this size", commit())
  client.close()
}

async function oneTurn(client: Client, add: (figure: string, value: number) => void): Promise<void> {
  const times = await client.turn(SHORT)
  const [there, back] = [times.requestedAt - times.sentAt, times.firstAt - times.firstWrittenAt]
  add("prompt to request", there)
  add("delta to client", back)
  add("added to the first delta", there + back)
  add("last delta to the end", times.endAt - times.lastWrittenAt)
  add("whole turn", times.endAt - times.sentAt)
  if (!Number.isNaN(times.acceptedAt)) add("prompt to its acknowledgement", times.acceptedAt - times.sentAt)
}

function addRows({ report }: LoadContext): void {
  for (const door of [...doors, nameOf("ws", "anthropic")]) {
    report.row("turn", door, "prompt to request", "ms")
    report.row("turn", door, "delta to client", "ms")
    report.row("turn", door, "added to the first delta", "ms", { of: "alone", atMost: 2.5 })
    report.row("turn", door, "last delta to the end", "ms")
    report.row("turn", door, "whole turn", "ms")
    report.row("turn", door, "CPU of a turn", "ms")
    report.row("turn", door, "write calls of a turn", "calls")
    const commit = report.row("turn", door, "a durable commit of this size", "ms").ours.median
    const bound = { of: "alone", atMost: Number((commit + 0.3).toFixed(2)) } as const
    if (door !== "rpc") report.row("turn", door, "prompt to its acknowledgement", "ms", bound)
  }
}

/** One commit per call, with the size and durability of a stored prompt: WAL, every commit synced. */
function commits(path: string): () => number {
  const database = new DatabaseSync(path)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec("CREATE TABLE events (text TEXT); CREATE TABLE sessions (line TEXT); INSERT INTO sessions VALUES ('')")
  const insert = database.prepare("INSERT INTO events VALUES (?)")
  const update = database.prepare("UPDATE sessions SET line = ?")
  return () => {
    const begun = clockMs()
    database.exec("BEGIN IMMEDIATE")
    for (let event = 0; event < 4; event++) insert.run("x".repeat(250))
    update.run("x".repeat(800))
    database.exec("COMMIT")
    return clockMs() - begun
  }
}
