import { expect, it } from "vitest"
import { checkCommand } from "./generated/commands.js"

it.for([{ toString: null }, ["compact"], null, 5, "constructor"])("a command is refused whose type is %o", (type) => {
  expect(checkCommand({ type })).toBe(false)
})
