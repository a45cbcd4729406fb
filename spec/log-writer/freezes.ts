// Processes of one home are frozen with SIGSTOP, one after the other: the log writer while it writes, hosts during a
// turn, and processes that append. The others must continue, and no event may be lost or stored twice.
import { spawn, type ChildProcessByStdio } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { sessionIdOf, valueOf } from "../../src/log/fixtures.ts"
import { openLogWithWriter } from "../../src/log-writer/client.ts"
import { writerPid } from "../e2e/log-writer.ts"
import type { Place } from "../e2e/turnhouse.ts"
import { Wire } from "../rpc/wire.ts"

const program = fileURLToPath(new URL("./appender.ts", import.meta.url))

class Appender {
  readonly sessionId: string
  readonly pid: number
  /** How many of its events are on disk. */
  stored = 1
  longestMs = 0
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  #waiting: (() => void)[] = []

  constructor(place: Place, number: number) {
    this.sessionId = sessionIdOf(number)
    const args = [program, join(place.home, "turnhouse.db"), this.sessionId]
    this.#child = spawn(process.execPath, args, { env: place.env, stdio: ["pipe", "pipe", "inherit"] })
    if (this.#child.pid === undefined) throw new Error("the appender could not be started")
    this.pid = this.#child.pid
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#onAppend(JSON.parse(line)))
  }

  /** Resolves when so many more of its events are on disk. */
  async progress(count: number): Promise<void> {
    const until = this.stored + count
    while (this.stored < until) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve))
    this.#child.kill("SIGKILL")
    await ended
  }

  #onAppend({ seq, ms }: { readonly seq: number; readonly ms: number }): void {
    this.stored = seq
    this.longestMs = Math.max(this.longestMs, ms)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

export interface Freezes {
  readonly rounds: number
  /** Every so many rounds a whole command runs while something is frozen. */
  readonly commandEvery: number
}

/** Milliseconds that the slowest append of a process that was not frozen took. */
export async function freeze(place: Place, { rounds, commandEvery }: Freezes): Promise<number> {
  const model = place.script([[{ chunks: Array.from({ length: 100_000 }, () => "word ") }]], { delayMs: 20 })
  const answer = place.script([[{ text: "Here." }]], {}, "answer.json")
  const host = new Wire(place, ["--model", model])
  await host.ready()
  await host.send({ type: "prompt", id: "p", message: "go" })
  const [one, two, victim] = [1, 2, 3].map((number) => new Appender(place, number))
  if (one === undefined || two === undefined || victim === undefined) throw new Error("no appenders")
  try {
    await Promise.all([one, two, victim].map((appender) => appender.progress(5)))
    for (const appender of [one, two]) appender.longestMs = 0
    for (let round = 0; round < rounds; round++) {
      const pid = targetOf(place, round, [host.pid, victim.pid])
      process.kill(pid, "SIGSTOP")
      await Promise.all([one, two].map((appender) => appender.progress(3)))
      if (round % commandEvery === 0)
        expect(await place.run("run", "hello", "--model", answer)).toMatchObject({ code: 0, stdout: "Here.\n" })
      signal(pid, "SIGCONT")
    }
    return Math.max(one.longestMs, two.longestMs)
  } finally {
    host.signal("SIGKILL")
    await Promise.all([one, two, victim].map((appender) => appender.end()))
    await expectAllStored(place, [one, two, victim])
  }
}

/** Every other time the writer, which is at work all the time. */
function targetOf(place: Place, round: number, others: readonly number[]): number {
  const other = others[Math.floor(round / 2) % others.length]
  return round % 2 === 0 || other === undefined ? writerPid(place.home) : other
}

async function expectAllStored(place: Place, appenders: readonly Appender[]): Promise<void> {
  const log = valueOf(openLogWithWriter({ path: join(place.home, "turnhouse.db") }))
  for (const { sessionId, stored } of appenders) {
    const { events } = valueOf(await log.load(sessionId))
    const texts = events.map(({ event }) => (event.type === "text.ended" ? event.text : event.type))
    expect(texts).toEqual(Array.from({ length: texts.length }, (_, index) => String(index)))
    expect(texts.length).toBeGreaterThanOrEqual(stored)
  }
  expect(valueOf(await log.inspect())).toEqual([])
  await log.close()
}

/** The writer was killed by a client that waited for it. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // gone
  }
}
