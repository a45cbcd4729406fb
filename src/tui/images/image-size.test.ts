import { expect, it } from "vitest"
import { cellsFor, MAX_COLUMNS, MAX_ROWS } from "./image-size.ts"

const cell = { width: 10, height: 20 }

it.each([
  [{ width: 100, height: 60 }, 78, { columns: 10, rows: 3 }],
  [{ width: 1, height: 1 }, 78, { columns: 1, rows: 1 }],
  [{ width: 4000, height: 10 }, 78, { columns: MAX_COLUMNS, rows: 1 }],
  [{ width: 10, height: 4000 }, 78, { columns: 1, rows: MAX_ROWS }],
  [{ width: 1600, height: 800 }, 20, { columns: 20, rows: 5 }],
  [{ width: 1600, height: 800 }, 0, { columns: 1, rows: 1 }],
])("an image of %o in %i columns takes %o", (image, columns, cells) => {
  expect(cellsFor(image, cell, columns)).toEqual(cells)
})
