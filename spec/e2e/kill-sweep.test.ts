// The host is killed after every line that it prints. What was printed stays true, the turn continues, and no side
// effect happens twice.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { inTurn } from "./eventually.ts"
import { expectIdle, expectValid, assistantTexts, stateOf } from "./history.ts"
import { eventsOf, isEventLine, objects, type Json } from "./printed.ts"
import { idOf, sharedPlace } from "./turnhouse.ts"

/** A few more than the turn has when nothing disturbs it. */
const lines = Array.from({ length: 42 }, (_, index) => index + 1)
const atOnce = 4
const killed = 137
const prompt = "go"
/** What the configuration wants confirmed is allowed without a person. */
const allowing = ["--yes", "--allow-tool", "bash"]

const steps = [
  [
    { text: "I look and write." },
    { call: { tool: "read", input: { path: "a" } } },
    { call: { tool: "bash", input: { command: "echo x>>f;sleep .2" } } },
  ],
  [{ text: "Half of it," }, { delayMs: 320 }, { text: " and the other half, and the end." }],
]
const said = ["I look and write.", "Half of it, and the other half, and the end."]

interface Killed {
  /** Events that were printed before the end, byte for byte. */
  readonly printed: readonly string[]
  readonly log: string
  readonly effects: number
  /** Exit codes of the processes that went on with it. */
  readonly resumes: readonly number[]
}

const place = sharedPlace()
const swept = new Map<number, Killed | Error>()

beforeAll(async () => {
  place.config({ tools: { confirm: ["bash"] } })
  const model = place.script(steps, { delayMs: 5 })
  const printed = await inTurn(lines, atOnce, (line) => killedAfter(line, model).catch(asError))
  const { stdout } = await place.run("ls", "--all", "--json")
  const sessions = new Map(objects(stdout).map((session) => [session["cwd"], session]))
  await inTurn(lines, atOnce, async (line) => {
    const events = printed[line - 1] ?? []
    swept.set(line, events instanceof Error ? events : await finished(events, line, sessions).catch(asError))
  })
}, 600_000) // only a bound: on a busy machine 42 runs and their resumptions take minutes

/** What went wrong after one line is told there, and does not hide the others. */
function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(String(fault))
}

async function finished(
  printed: readonly string[],
  line: number,
  sessions: ReadonlyMap<unknown, Json>,
): Promise<Killed> {
  const ended = await resumeUntilEnd(sessions.get(folderOf(line)))
  return { printed, effects: effectsOf(line), ...ended }
}

function folderOf(line: number): string {
  return place.path(`killed-${line}`)
}

async function killedAfter(line: number, model: string): Promise<readonly string[]> {
  const cwd = folderOf(line)
  mkdirSync(cwd)
  place.write(`killed-${line}/a`, "A file.")
  const running = place.start(["run", prompt, "--json", ...allowing, "--model", model], { cwd })
  await Promise.race([running.lineNumber(line).catch(() => {}), running.ended])
  running.signal("SIGKILL")
  const ended = await running.ended
  if (ended.code !== 0 && ended.code !== killed) throw new Error(`it failed by itself: ${ended.stderr}`)
  return ended.lines.map(({ text }) => text).filter(isEventLine)
}

/** Resumes a session, as often as it takes, until no turn is open. */
async function resumeUntilEnd(session: Json | undefined): Promise<Pick<Killed, "log" | "resumes">> {
  const id = idOf(session)
  const resumes: number[] = []
  if (session?.["activity"] === "idle" && session["turns"] === 1) return { log: await place.log(id), resumes }
  const words = session?.["turns"] === 0 ? [prompt] : [] // killed before its prompt was taken: it is given again
  for (;;) {
    resumes.push((await place.run("run", ...words, "--session", id, ...allowing, "--json")).code)
    const log = await place.log(id)
    if (stateOf(log).turn === undefined || resumes.length === 3) return { log, resumes }
  }
}

function effectsOf(line: number): number {
  try {
    return place.read(join(`killed-${line}`, "f")).split("x").length - 1
  } catch {
    return 0
  }
}

function killedAt(line: number): Killed {
  const outcome = swept.get(line)
  if (outcome instanceof Error || outcome === undefined) throw outcome ?? new Error("nothing is known of it")
  return outcome
}

describe.each(lines)("killed after line %i", (line) => {
  it("has lost nothing that it had printed", () => {
    const { printed, log } = killedAt(line)
    const stored = log.split("\n")
    expect(printed.filter((event) => !stored.includes(event))).toEqual([])
    expect(printed.length).toBeGreaterThan(0)
  })

  it("continues to the end with one result for each call and every word once", () => {
    const { log, resumes } = killedAt(line)
    expect(resumes.filter((code) => code !== 0)).toEqual([])
    expectValid(log)
    expectIdle(log)
    expect(assistantTexts(log)).toEqual(said)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["done"])
  })

  it("has run what is unsafe at most once, or says that it does not know", () => {
    const { log, effects } = killedAt(line)
    const called = eventsOf(log, "tool.called").find(({ tool }) => tool === "bash")
    const receipt = eventsOf(log, "tool.ended").find(({ callId }) => callId === called?.callId)
    const unsettled = eventsOf(log, "tool.unsettled")
    const known = unsettled.length > 0 ? "unknown" : receipt?.outcome
    expect(["unknown, 0 times", "unknown, 1 times", "done, 1 times"]).toContain(`${known}, ${effects} times`)
    const evidence = unsettled.map((one) => one.evidence)
    expect(evidence.filter((sentence) => !/^Process \d+ .+\.$/.test(sentence))).toEqual([])
    expect(eventsOf(log, "approval.requested").length).toBe(eventsOf(log, "approval.decided").length)
  })
})

describe("the sweep", () => {
  it("has met a call without a receipt and an answer that was cut off", () => {
    const logs = lines.map((line) => killedAt(line).log)
    expect(logs.filter((log) => eventsOf(log, "tool.unsettled").length > 0).length).toBeGreaterThan(0)
    expect(logs.filter((log) => log.includes('"continues":')).length).toBeGreaterThan(0)
  })

  it("leaves a log whose every chain is intact, and no session at work", async () => {
    expect(await place.run("verify")).toMatchObject({ code: 0, stderr: "" })
    const sessions = await place.sessions()
    expect(sessions).toHaveLength(lines.length)
    expect(new Set(sessions.map((session) => session["activity"]))).toEqual(new Set(["idle"]))
  })
})
