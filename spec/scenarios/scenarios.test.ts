// Every scenario, on every door that can carry it. Where a door cannot, the title of the test says why.
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, it } from "vitest"
import { failureText } from "./failure.ts"
import { doorsOf, play, whyNot, type Verdict } from "./play.ts"
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
  doorsOf(scenario).map((door) => ({ file, scenario, door, why: whyNot(scenario, door) })),
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

describe("the files", () => {
  it("have titles of their own, which are sentences", () => {
    const titles = scenarios.map(({ scenario }) => scenario.title)
    expect(titles.length).toBeGreaterThan(25)
    expect(new Set(titles).size).toBe(titles.length)
    for (const title of titles) expect(title).toMatch(/^[A-Z].*[^.]$/)
  })

  it("of both kinds are shown in the documentation", () => {
    expect(documented.map(({ scenario }) => scenario.door)).toEqual([undefined, "ws"])
  })

  it("in frames begin with the name of their door", () => {
    const inFrames = scenarios.filter(({ file }) => file.startsWith("frames"))
    for (const { file, scenario } of inFrames) expect(basename(file)).toMatch(new RegExp(`^${scenario.door}-`))
  })

  it("in words name no door, and say in one sentence where they cannot be played", () => {
    const inWords = scenarios.filter(({ file }) => file.startsWith("session"))
    for (const { scenario } of inWords) expect(scenario.door).toBeUndefined()
    const reasons = plays.flatMap(({ why }) => why ?? [])
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z].*\.$/)
  })
})

function text(verdict: Verdict): string {
  if (verdict.kind === "failed") return failureText(verdict.failed)
  return verdict.kind === "passed" ? `passed, ${verdict.steps} steps` : verdict.why
}
