// Whatever events arrive at whatever size: the changes that are drawn give the same screen as drawing it completely, and
// nothing is written beyond it.
import fc from "fast-check"
import { expect, it } from "vitest"
import { randomEvents, randomText } from "../../src/tui/fixtures/random-events.ts"
import { sessionOf, stateOf } from "../../src/tui/fixtures/session.ts"
import { draftOf } from "../../src/tui/state/draft.ts"
import type { ScreenState } from "../../src/tui/state/screen-state.ts"
import type { EmulatorSize } from "./emulator.ts"
import { PaintedScreen } from "./painted.ts"
import { styledRuns } from "./styled-runs.ts"

const randomSize = fc.record({ columns: fc.integer({ min: 20, max: 400 }), rows: fc.integer({ min: 3, max: 50 }) })
const randomFrame = fc.record({
  events: randomEvents,
  draft: randomText,
  isExpanded: fc.boolean(),
  isResized: fc.boolean(),
  size: randomSize,
})

it("draws changes so that the screen equals a full repaint, and never scrolls", async () => {
  await fc.assert(
    fc.asyncProperty(randomSize, fc.array(randomFrame, { minLength: 2, maxLength: 5 }), async (first, frames) => {
      const screen = new PaintedScreen(first)
      let size: EmulatorSize = first
      let session = sessionOf([])
      for (const { events, draft, isExpanded, isResized, size: next } of frames) {
        session = sessionOf(events, session)
        size = isResized ? next : size
        const state: ScreenState = stateOf(session, { isExpanded, draft: draftOf(draft), hasColour: true })
        await screen.draw(state, size)
        const fresh = new PaintedScreen(size)
        await fresh.draw(state)
        expect(screen.emulator.text).toBe(fresh.emulator.text)
        expect(styledRuns(screen.cells)).toBe(styledRuns(fresh.cells))
        expect(screen.emulator.cursor).toEqual(fresh.emulator.cursor)
        expect(fresh.emulator.allText.split("\n")).toHaveLength(size.rows)
      }
    }),
    { numRuns: 20 },
  )
})
