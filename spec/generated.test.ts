import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { artefacts } from "../scripts/artefacts.ts"

it.each([...artefacts()])("%s is what the schemas say now", (path, text) => {
  expect(readFileSync(new URL(`../${path}`, import.meta.url), "utf8") === text).toBe(true)
})
