import { expect, it } from "vitest"
import { mentionsIn } from "./mentions.ts"

it.each([
  ["look at @src/a.ts please", [["src/a.ts"]]],
  [
    "@a.ts, @b.ts.",
    [
      ["a.ts,", "a.ts"],
      ["b.ts.", "b.ts"],
    ],
  ],
  ['what is in @"my notes.txt" and (@~/x)?', [["my notes.txt"], ["~/x)?", "~/x)", "~/x"]]],
  ["write to me@example.org or use @ alone", []],
  ["@", []],
  [`@${"x".repeat(2000)}`, []],
])("finds the paths in %s", (text, mentions) => {
  expect(mentionsIn(text)).toEqual(mentions)
})
