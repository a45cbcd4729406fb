import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { lineText } from "../../display/spans.ts"
import { goldenSizes, screens } from "../fixtures/screens.ts"
import { stateOf } from "../fixtures/session.ts"
import { longForm } from "../fixtures/situations.ts"
import type { ScreenState } from "../state/screen-state.ts"
import { view } from "./screen.ts"

beforeAll(() => void vi.stubEnv("TZ", "UTC"))
afterAll(() => void vi.unstubAllEnvs())

function screenText(state: ScreenState, columns: number, rows: number): string {
  const { lines, cursor } = view(state, { columns, rows })
  const shown = lines.map((line) => lineText(line).trimEnd()).join("\n")
  return `${shown}\n${cursor === undefined ? "no cursor" : `cursor ${cursor.row}:${cursor.column}`}\n`
}

describe.each(goldenSizes)("at %i columns", (columns, rows) => {
  it.each(Object.keys(screens))("shows %s", async (name) => {
    const state = screens[name]?.() ?? stateOf(undefined)
    await expect(screenText(state, columns, rows)).toMatchFileSnapshot(
      `golden/${name.replaceAll(" ", "-")}-${columns}.txt`,
    )
  })
})

it.each([
  [10, 3],
  [1, 1],
  [20, 5],
  [400, 100],
])("fits %i columns and %i rows in every situation", (columns, rows) => {
  for (const screen of Object.values(screens))
    expect(view(screen(), { columns, rows }).lines.length).toBeLessThanOrEqual(rows)
})

it("says how many lines of a form are hidden, and how to answer it, where the window is too low", () => {
  const shown = screenText(stateOf(longForm(20)), 100, 24)
  expect(shown).toContain("question of MCP server 'shop'")
  expect(shown).toContain("Question 1: Field 1?")
  expect(shown).toMatch(/\b\d+ more lines: enlarge the window, or see 'turnhouse approvals'/)
  expect(shown).toContain("type your answer, one answer per question, separated by ';' and press enter; /deny declines")
  const hidden = Number(/(\d+) more lines/.exec(shown)?.[1])
  expect(shown).toContain(`Field ${20 - hidden}?`)
  expect(shown).not.toContain(`Field ${21 - hidden}?`)
})
