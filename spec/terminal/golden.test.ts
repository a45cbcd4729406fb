// Golden screens as an emulator shows them: the text, and what is drawn in colour or with attributes.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { goldenSizes, screens } from "../../src/tui/fixtures/screens.ts"
import { stateOf } from "../../src/tui/fixtures/session.ts"
import { PaintedScreen } from "./painted.ts"
import { styledRuns } from "./styled-runs.ts"

beforeAll(() => void vi.stubEnv("TZ", "UTC"))
afterAll(() => void vi.unstubAllEnvs())

describe.each(goldenSizes)("at %i columns", (columns, rows) => {
  it.each(Object.keys(screens))("shows %s", async (name) => {
    const screen = new PaintedScreen({ columns, rows })
    const state = screens[name]?.() ?? stateOf(undefined)
    await screen.draw({ ...state, hasColour: true })
    const { text, cursor, cells } = screen.emulator
    const place = cursor === undefined ? "no cursor" : `cursor ${cursor.row}:${cursor.column}`
    const golden = `golden/${name.replaceAll(" ", "-")}-${columns}.txt`
    await expect(`${text}\n${place}\n\n${styledRuns(cells)}\n`).toMatchFileSnapshot(golden)
  })
})
