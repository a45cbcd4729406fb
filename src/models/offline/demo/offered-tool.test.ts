import { describe, expect, it } from "vitest"
import { callByName } from "./offered-tool.ts"

const order = { type: "object", properties: { order: { type: "string" } }, required: ["order"] }
const tools = [
  { name: "lookup_order", inputSchema: order },
  { name: "refund_order", inputSchema: order },
  { name: "opening_hours", inputSchema: { type: "object", properties: {} } },
  { name: "set_table", inputSchema: { properties: { seats: { type: "integer" }, name: {} }, required: ["seats"] } },
  { name: "pay", inputSchema: order },
]

describe("callByName", () => {
  it.each([
    ["refund order 1002", "refund_order", { order: "1002" }],
    ["Look up order A-17.", "lookup_order", { order: "A-17" }],
    ["opening hours?", "opening_hours", {}],
  ])("calls the tool that the message begins with: %s", (message, tool, input) => {
    expect(callByName(message, tools)).toEqual({ tool, input })
  })

  it.each([
    "refund order", // its input is missing
    "opening hours tomorrow", // takes no input
    "set table 4", // takes two inputs
    "pay 5", // a name of one word is no clear request
    "write me a poem",
    `refund order ${"x ".repeat(400)}`,
  ])("guesses nothing: %s", (message) => {
    expect(callByName(message, tools)).toBeUndefined()
  })
})
