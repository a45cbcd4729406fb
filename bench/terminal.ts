// The terminal: opening a long session, the delay from a delta to the screen, processor time and memory of the window. The
// program runs on a real pseudo-terminal. Prints every bound with its figure; exits with 1 when one is missed.
// Run: node bench/terminal.ts
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { connectHome } from "../src/app/host/home-connection.ts"
import type { Place } from "../spec/e2e/place.ts"
import { makeLongSession } from "../spec/terminal/long-session.ts"
import { openWindow } from "../spec/terminal/open-window.ts"
import { Window } from "../spec/terminal/window.ts"
import { median, quantile } from "./quantile.ts"
import { runAll } from "./run-all.ts"
import { withPlace } from "./with-place.ts"

const SHORT = 200
const LONG = 100_000
const ROUNDS = 7
const MEASURED_SECONDS = 15
const DELTAS_PER_SECOND = 100
/** Of the kernel, for times of processes. */
const TICKS_PER_SECOND = 100

await runAll([openSessions, streamText])

async function openSessions(): Promise<boolean> {
  const short = await timesToOpen(SHORT)
  const long = await timesToOpen(LONG)
  const [shortMs, longMs] = [
    median(short.map(({ transcript }) => transcript)),
    median(long.map((one) => one.transcript)),
  ]
  console.log(
    `first paint after the start            ${ms(median(long.map(({ paint }) => paint)))}  (goal: under 100, not counted)`,
  )
  console.log(`open a session of ${SHORT} events          ${ms(shortMs)}`)
  console.log(`open a session of ${LONG} events       ${ms(longMs)}  (bound: under 300)`)
  console.log(`  against the short one                ${(longMs / shortMs).toFixed(2)} times`)
  return longMs < 300
}

interface Opened {
  /** From the start of the process to its first frame, and from there to the transcript. */
  readonly paint: number
  readonly transcript: number
}

/** The host runs and has a snapshot of the session. */
async function timesToOpen(events: number): Promise<readonly Opened[]> {
  return withPlace({ model: "offline/demo" }, async (place) => {
    const id = await makeLongSession(place, events)
    const first = openWindow(place, ["attach", id])
    await first.shows("beta", "idle")
    first.type("read notes.txt\r")
    await first.shows("working")
    await first.shows("idle")
    const times: Opened[] = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timeToOpen(place, id))
    await first.close()
    return times
  })
}

async function timeToOpen(place: Place, id: string): Promise<Opened> {
  const start = performance.now()
  let paint = 0
  const record = () => {
    if (paint === 0) paint = performance.now() - start
  }
  const window = openWindow(place, ["attach", id], { record })
  await window.until("the transcript", () => window.text.includes("beta") || undefined)
  const transcript = performance.now() - start - paint
  await window.close()
  return { paint, transcript }
}

async function streamText(): Promise<boolean> {
  const words = MEASURED_SECONDS * DELTAS_PER_SECOND
  const text = Array.from({ length: words }, (_, at) => (at % 40 === 39 ? `w${at}.\n\n` : `**w${at}** `)).join("")
  return withPlace({}, async (place) => {
    const steps = [[{ text }]]
    place.config({ model: place.script(steps, { delayMs: 1000 / DELTAS_PER_SECOND }, "../script.json") })
    const seen = new Map<string, number>()
    const window = openWindow(place, [], { columns: 120, rows: 40, record: (output) => noteWords(seen, output) })
    await window.shows("idle")
    const sent = await watchWords(place, () => window.type("write it\r"))
    const busy = await shareOfCore(window, () => window.shows(`w${words - 1}`))
    await window.shows("idle")
    await pause(2000)
    const idle = await shareOfCore(window, () => pause(20_000))
    const delays = [...sent.times].flatMap(([word, at]) => delayOf(seen.get(word), at))
    const bare = await bareDelays(place)
    console.log(
      `delta to screen, median and p99        ${ms(median(delays))}, ${ms(quantile(delays, 0.99))}  (bound: 100 at p99)`,
    )
    console.log(`  a line through a bare terminal       ${ms(median(bare))}, ${ms(quantile(bare, 0.99))}`)
    console.log(`processor at ${DELTAS_PER_SECOND} deltas/s             ${percent(busy)}  (bound: under 15 %)`)
    console.log(`processor at rest                      ${percent(idle)}  (bound: under 0.2 %)`)
    console.log(`memory                                 ${memoryOf(window)} MB  (bound: under 160)`)
    const isKept = quantile(delays, 0.99) < 100 && busy < 0.15 && idle < 0.002 && memoryOf(window) < 160
    await sent.close()
    await window.close()
    return isKept
  })
}

function delayOf(seenAt: number | undefined, at: number): readonly number[] {
  return seenAt === undefined ? [] : [seenAt - at]
}

function noteWords(seen: Map<string, number>, output: string): void {
  const now = performance.now()
  for (const [word] of output.matchAll(/w\d+/g)) if (!seen.has(word)) seen.set(word, now)
}

/** When another client of the session, in this process, gets each word. */
async function watchWords(place: Place, start: () => void) {
  const connection = await connectHome({ home: place.home, config: {} }, "bench")
  const id = await place.newest()
  const opened = await connection.port.open(id, { principal: "bench", door: "bench" }, undefined)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  const times = new Map<string, number>()
  await opened.handle.watch(0, (item) => {
    if (item.kind === "delta" && item.delta.type === "text.delta") noteWords(times, item.delta.delta)
  })
  start()
  return { times, close: () => connection.close() }
}

/** The same through `cat`: what the terminal itself and this process take. */
async function bareDelays(place: Place): Promise<readonly number[]> {
  const window = new Window("/bin/cat", [], { cwd: place.folder, env: place.env })
  const delays: number[] = []
  for (let round = 0; round < 200; round += 1) {
    const start = performance.now()
    window.type(`line ${round}.\r`)
    await window.until("the line", () => window.emulator.allText.split(`line ${round}.`).length > 2 || undefined)
    delays.push(performance.now() - start)
  }
  await window.close()
  return delays
}

async function shareOfCore({ pid }: Window, work: () => Promise<unknown>): Promise<number> {
  const [start, used] = [performance.now(), secondsUsed(pid)]
  await work()
  return (secondsUsed(pid) - used) / ((performance.now() - start) / 1000)
}

function secondsUsed(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function memoryOf({ pid }: Window): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}
