// The console in Chromium: the first load, a session of 100,000 events, a list of 10,000 sessions, and the share of the
// page's main thread that a fast stream takes. Prints every bound with its figure; exits with 1 when one is missed. A plain text
// and a short session are measured in the same rounds: on a busy machine the comparison says more than the time.
// Run: node bench/console.ts
import type { CDPSession, Page } from "playwright-core"
import { ConsoleWorld } from "../spec/browser/console-world.ts"
import { makeLongSession, makeManySessions } from "../spec/terminal/long-session.ts"
import { median } from "./quantile.ts"
import { runAll } from "./run-all.ts"
import { withPlace } from "./with-place.ts"

const EVENTS = 100_000
const SESSIONS = 10_000
const ROUNDS = 5
const DELTAS_PER_SECOND = 200
const MEASURED_SECONDS = 10

await runAll([openSessions, listSessions, streamText])

async function openSessions(): Promise<boolean> {
  return withPlace({}, async (place) => {
    const sessionId = await makeLongSession(place, EVENTS)
    const world = await ConsoleWorld.open(place)
    const short = await world.session([[{ text: "Hello." }]], "hi")
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const plain = await timed(async () => (await world.visitPlain()).context().close())
      const start = performance.now()
      const { page } = await world.visit()
      await page.getByRole("heading", { name: "Pending" }).waitFor()
      const load = performance.now() - start
      const shortOpen = await timed(() => open(page, short.sessionId))
      rounds.push({ plain, load, shortOpen, open: await timed(() => open(page, sessionId)) })
      const items = await page.locator(".item").count()
      if (items > 400) throw new Error(`${items} items are in the page`)
      await page.context().close()
    }
    await world.close()
    const of = (key: keyof Round) => median(rounds.map((round) => round[key]))
    const [load, longOpen] = [of("load"), of("open")]
    console.log(`first load until it can be used        ${ms(load)}  (bound: under 1000)`)
    console.log(`  against a page of plain text         ${times(load, of("plain"))}`)
    console.log(`open a session of ${EVENTS} events       ${ms(longOpen)}  (bound: under 1000)`)
    console.log(`  against a session of one turn        ${times(longOpen, of("shortOpen"))}`)
    return load < 1000 && longOpen < 1000
  })
}

type Round = Readonly<Record<"plain" | "load" | "shortOpen" | "open", number>>

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function open(page: Page, sessionId: string): Promise<void> {
  await page.evaluate(`location.hash = "#/session/${sessionId}"`)
  await page.locator(`.session[data-session="${sessionId}"] .transcript .answer`).last().waitFor()
}

async function listSessions(): Promise<boolean> {
  return withPlace({}, async (place) => {
    await makeManySessions(place, SESSIONS)
    const world = await ConsoleWorld.open(place)
    const { page } = await world.visit()
    await page.getByText(`${SESSIONS + 1} sessions`).waitFor()
    const rows = await page.locator(".session-row").count()
    const start = performance.now()
    await page.getByLabel("Search sessions").fill("no such session")
    await page.getByText("No session matches.").waitFor()
    const search = performance.now() - start
    await world.close()
    console.log(`rows in the page of ${SESSIONS} sessions     ${rows}  (bound: under 60)`)
    console.log(`search among them                      ${ms(search)}  (bound: under 500)`)
    return rows < 60 && search < 500
  })
}

async function streamText(): Promise<boolean> {
  return withPlace({}, async (place) => {
    const words = MEASURED_SECONDS * DELTAS_PER_SECOND
    const text = Array.from({ length: words }, (_, at) => (at % 40 === 39 ? `w${at}.\n\n` : `**w${at}** `)).join("")
    const world = await ConsoleWorld.open(place)
    const { sessionId } = await world.session([[{ text }]], undefined, {
      delayMs: 1000 / DELTAS_PER_SECOND,
      maxOutput: 1_000_000,
      contextWindow: 10_000_000,
    })
    const { page } = await world.visit(`#/session/${sessionId}`)
    await page.getByLabel("Prompt", { exact: true }).fill("write it")
    const devtools = await page.context().newCDPSession(page)
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
    await page.keyboard.press("Enter")
    await page.getByText("w100", { exact: true }).waitFor()
    const [start, before] = [performance.now(), await taskSeconds(devtools)]
    await page.getByText(`w${words - 2}`, { exact: true }).waitFor({ timeout: 10 * MEASURED_SECONDS * 1000 })
    const share = ((await taskSeconds(devtools)) - before) / ((performance.now() - start) / 1000)
    await world.close()
    console.log(
      `main thread at ${DELTAS_PER_SECOND} deltas/s            ${(100 * share).toFixed(1)} %  (bound: under 50 %)`,
    )
    return share < 0.5
  })
}

/** Processor time of the page's main thread. */
async function taskSeconds(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics")
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}

function times(one: number, other: number): string {
  return `${(one / other).toFixed(1)} times`
}
