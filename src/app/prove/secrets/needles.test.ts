import { expect, it } from "vitest"
import { seeded } from "../seeded.ts"
import { Needles } from "./needles.ts"
import { randomSecrets } from "./random-secrets.ts"
import { spellingNames, spellings } from "./spellings.ts"

const below = seeded(7)
const { secrets } = randomSecrets(below, true)
const needles = new Needles()
for (const secret of secrets) needles.add(secret)

it.for(spellingNames)("finds secrets of every kind wherever they are in a text: %s", (name) => {
  for (const { kind, value } of secrets)
    for (const lead of ["", "a", "ab", "abc", "abcd"])
      expect(needles.find(`${lead} ${spellings[name](value, below)} and more`)).toMatchObject({ kind })
})

it("finds what is left of a secret that was cut", () => {
  for (const {
    value,
    random: [part = ""],
  } of secrets) {
    const from = value.indexOf(part)
    expect(needles.find(`cut: ${value.slice(0, from + 11)}…`)).toBeDefined()
  }
})

it("finds nothing in a text without them", () => {
  const others = randomSecrets(below, true).secrets
  for (const { value } of others)
    for (const name of spellingNames) expect(needles.find(`the ${spellings[name](value, below)}`)).toBeUndefined()
})
