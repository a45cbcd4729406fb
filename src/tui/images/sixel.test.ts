import { expect, it } from "vitest"
import { sixelImage } from "./sixel.ts"

const white = [255, 255, 255, 255]
const black = [0, 0, 0, 255]
const clear = [0, 0, 0, 0]

it("writes each colour of a band, counts equal columns and leaves out what is clear", () => {
  const data = Uint8Array.from([...[0, 1, 2, 3, 4].flatMap(() => white), ...black, ...clear])
  expect(sixelImage({ width: 7, height: 1, data })).toBe(
    '\u001bP0;1;0q"1;1;7;1#215;2;100;100;100#0;2;0;0;0#215!5@$#0!5?@\u001b\\',
  )
})

it("writes rows in bands of six", () => {
  const data = Uint8Array.from(Array.from({ length: 7 }, () => white).flat())
  expect(sixelImage({ width: 1, height: 7, data })).toContain("#215~-#215@")
})
