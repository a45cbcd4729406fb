import fc from "fast-check"
import { stripVTControlCharacters } from "node:util"
import { expect, it } from "vitest"
import { columnsOf, lineWidth } from "../../display/spans.ts"
import { sessionOf, stateOf } from "../fixtures/session.ts"
import { randomEvents, randomText } from "../fixtures/random-events.ts"
import type { ImageBook } from "../images/image-store.ts"
import { draftOf } from "../state/draft.ts"
import { paintLine } from "../terminal/paint.ts"
import { defaultTheme } from "../terminal/theme.ts"
import { view } from "./screen.ts"

const theme = defaultTheme(true)
const images: ImageBook = {
  cell: { width: 9, height: 18 },
  sizes: new Map([1, 3, 5].map((number) => [`cal_${number}/0`, { width: 100 * number, height: 70 }])),
}

it("never draws beyond the screen, and never a control character", () => {
  fc.assert(
    fc.property(
      randomEvents,
      randomText,
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      (all, draft, columns, rows, isExpanded) => {
        const state = stateOf(sessionOf(all), { isExpanded, draft: draftOf(draft), hasColour: true, images })
        const { lines, cursor } = view(state, { columns, rows })
        expect(lines.length).toBeLessThanOrEqual(rows)
        expect(cursor?.row ?? 0).toBeLessThan(rows)
        for (const line of lines) {
          expect(lineWidth(line)).toBeLessThanOrEqual(columns)
          const painted = stripVTControlCharacters(paintLine(line, columns, theme))
          expect(columnsOf(painted)).toBeLessThanOrEqual(columns)
          expect(painted).not.toMatch(/[\p{Cc}\u202e\u200b\p{Cs}]/u)
        }
      },
    ),
    { numRuns: 150 },
  )
})
