import { describe, expect, it } from "vitest"
import { readTyped } from "./attached-agent.ts"

describe("a line that is typed at an agent", () => {
  it.for([
    ["  hello there", { kind: "say", text: "  hello there" }],
    ["//etc is a path", { kind: "say", text: "/etc is a path" }],
    ["/", { kind: "say", text: "/" }],
    ["  ", { kind: "nothing" }],
    ["/quit", { kind: "quit" }],
    ["/stop", { kind: "stop" }],
    ["/model m1", { kind: "slash", command: "model", args: ["m1"] }],
    [
      "/task:add 'write it' \"and test it\" now",
      { kind: "slash", command: "task:add", args: ["write it", "and test it", "now"] },
    ],
    ["/remember it's late", { kind: "slash", command: "remember", args: ["it's", "late"] }],
  ] as const)("is parsed: %s", ([line, expected]) => {
    expect(readTyped(line)).toEqual(expected)
  })
})
