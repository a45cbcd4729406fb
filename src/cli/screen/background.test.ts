import { expect, it } from "vitest"
import { backgroundFrom, backgroundIn } from "./background.ts"

it.each([
  ["15;0", "dark"],
  ["0;15", "light"],
  ["0;default;7", "light"],
  ["7;8", "dark"],
  ["", undefined],
  ["default;default", undefined],
  [undefined, undefined],
])("reads COLORFGBG %s as %s", (colours, background) => {
  expect(backgroundIn(colours)).toBe(background)
})

it.each([
  ["\u001b]11;rgb:ffff/ffff/ffff\u001b\\\u001b[?62c", "light"],
  ["\u001b]11;rgb:1e1e/1e1e/2e2e\u0007", "dark"],
  ["\u001b]11;rgba:fd/f6/e3/ff\u0007", "light"],
  ["\u001b[?62;4c", undefined],
  ["typed ahead", undefined],
])("reads the reply %j as %s", (reply, background) => {
  expect(backgroundFrom(reply)).toBe(background)
})
