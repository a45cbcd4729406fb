import { expect, it } from "vitest"
import { narrowNetwork } from "./narrow-network.ts"

const list = (...allow: readonly string[]) => ({ allow })

it.for([
  [undefined, "none", "none"],
  [undefined, list("a.com"), list("a.com")],
  ["all", list("a.com"), list("a.com")],
  [list("a.com"), "none", "none"],
  [list("*.a.com", "b.com"), list("x.a.com"), list("x.a.com")],
  ["none", "none", "none"],
  [list("a.com"), 5, 5],
] as const)("of the user's %o and the project's %o is %o", ([own, requested, value]) => {
  expect(narrowNetwork(own, requested)).toEqual({ value })
})

it.for([
  ["none", "all", "none", 'stays "none"'],
  ["none", list("a.com"), "none", 'stays "none"'],
  [list("a.com"), "all", list("a.com"), "stays a list"],
  [list("a.com"), list("a.com", "evil.com", "*"), list("a.com"), "without evil.com, *"],
] as const)("of the user's %o and the project's %o stays %o, with a warning", ([own, requested, value, warning]) => {
  expect(narrowNetwork(own, requested)).toEqual({ value, warning: expect.stringContaining(warning) })
})
