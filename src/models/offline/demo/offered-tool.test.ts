import { describe, expect, it } from "vitest"
import { callInWords } from "./offered-tool.ts"

const order = { type: "object", properties: { order: { type: "string" } }, required: ["order"] }
const tools = [
  { name: "lookup_order", inputSchema: order },
  { name: "refund_order", inputSchema: order },
  { name: "opening_hours", inputSchema: { type: "object", properties: {} } },
  { name: "set_table", inputSchema: { properties: { seats: { type: "integer" }, name: {} }, required: ["seats"] } },
]

describe("a tool that is offered is called by the words of its name", () => {
  it.each([
    ["please refund order 1002", "refund_order", { order: "1002" }],
    ["Look up order number A-17, please.", "lookup_order", { order: "A-17" }],
    ["look up the order #1001", "lookup_order", { order: "1001" }],
    ["I want a refund for my order 1001", "refund_order", { order: "1001" }],
    ['refund order "the blue one"', "refund_order", { order: "the blue one" }],
    ["What are the opening hours?", "opening_hours", {}],
    ["set a table with seats: 4", "set_table", { seats: 4 }],
  ])("%s", (message, tool, input) => {
    expect(callInWords(message, tools)).toEqual({ kind: "call", tool, input })
  })

  it.each([
    "refund my order", // which one?
    "look up and refund order 1001", // two tools fit
    "write me a poem",
    `refund order 1 ${"x".repeat(400)}`,
  ])("but not when anything would have to be guessed: %s", (message) => {
    expect(callInWords(message, tools)).toBeUndefined()
  })
})
