// Plays every scenario on every door that supports it.
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, it } from "vitest"
import { failureText } from "./failure.ts"
import { doorsOf, play, unsupportedReason, type Verdict } from "./play.ts"
import { readScenario, scenarioIn } from "./read-scenario.ts"

const page = new URL("../../docs/scenarios.md", import.meta.url)
const examples = [...readFileSync(page, "utf8").matchAll(/```jsonc\n(.*?)```/gs)].map(([, example = ""]) => example)

const files = globSync("{session,frames}/*.jsonc", { cwd: import.meta.dirname }).toSorted()
const scenarios = await Promise.all(
  files.map(async (file) => ({ file, scenario: await readScenario(`${import.meta.dirname}/${file}`) })),
)
const documented = await Promise.all(
  examples.map(async (example) => ({
    file: "docs/scenarios.md",
    scenario: await scenarioIn("docs/scenarios.md", example),
  })),
)
const plays = [...scenarios, ...documented].flatMap(({ file, scenario }) =>
  doorsOf(scenario).map((door) => ({ file, scenario, door, why: unsupportedReason(scenario, door) })),
)

describe.concurrent("a scenario", () => {
  it.for(plays.filter(({ why }) => why === undefined))(
    "is played: $scenario.title ($file, $door)",
    async ({ scenario, door }) => {
      expect(text(await play(scenario, door))).toBe(`passed, ${scenario.steps.length} steps`)
    },
  )

  it.for(plays.filter(({ why }) => why !== undefined))(
    "is not played: $file on $door, because: $why",
    async ({ scenario, door, why }) => {
      expect(await play(scenario, door)).toEqual({ kind: "cannot", why })
    },
  )
})

describe("scenario files", () => {
  it("have unique titles that are sentences", () => {
    const titles = scenarios.map(({ scenario }) => scenario.title)
    expect(titles.length).toBeGreaterThan(25)
    expect(new Set(titles).size).toBe(titles.length)
    for (const title of titles) expect(title).toMatch(/^[A-Z].*[^.]$/)
  })

  it("of both kinds are in the documentation", () => {
    expect(documented.map(({ scenario }) => scenario.door)).toEqual([undefined, "ws"])
  })

  it("frame scenarios are named after their door", () => {
    const frameScenarios = scenarios.filter(({ file }) => file.startsWith("frames"))
    for (const { file, scenario } of frameScenarios) expect(basename(file)).toMatch(new RegExp(`^${scenario.door}-`))
  })

  it("session scenarios name no door, and give a reason for each unsupported one", () => {
    const sessionScenarios = scenarios.filter(({ file }) => file.startsWith("session"))
    for (const { scenario } of sessionScenarios) expect(scenario.door).toBeUndefined()
    const reasons = plays.flatMap(({ why }) => why ?? [])
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z].*\.$/)
  })
})

function text(verdict: Verdict): string {
  if (verdict.kind === "failed") return failureText(verdict.failed)
  return verdict.kind === "passed" ? `passed, ${verdict.steps} steps` : verdict.why
}
