import { expect, it } from "vitest"
import { hasTooManyParts, MAX_PARTS } from "./json-text.ts"
import { decodeClientFrame } from "./house/codec.ts"

it("hasTooManyParts counts the values of a line, not the characters of its strings", () => {
  expect(hasTooManyParts('{"a":[1,2,3]}', 4)).toBe(false)
  expect(hasTooManyParts('{"a":[1,2,3,4]}', 4)).toBe(true)
  expect(hasTooManyParts('{"a":"[[[[[[,,,,,\\"[[[["}', 4)).toBe(false)
  expect(hasTooManyParts('{"a":"\\\\",b:[[[[[[[[]}', 4)).toBe(true)
  expect(hasTooManyParts('"[[[[[[[[[[ without an end', 4)).toBe(false)
})

it("a line with too many values is refused before it is parsed", () => {
  const nested = `${"[".repeat(MAX_PARTS)}${"]".repeat(MAX_PARTS)}`
  const received = decodeClientFrame(`{"type":"query","id":"1","query":${nested}}`)
  expect(received).toMatchObject({ kind: "bad", problem: expect.stringContaining(`more than ${MAX_PARTS} parts`) })
})

it("a long text is accepted, whatever characters it has", () => {
  const command = { type: "prompt", promptId: "prm_1", text: '[{"a":[]}]\\"'.repeat(MAX_PARTS), ifBusy: "wait" }
  const sessionId = "01890000-0000-7000-8000-000000000001"
  expect(decodeClientFrame(JSON.stringify({ type: "send", id: "1", sessionId, command })).kind).toBe("frame")
})
