import { expect, it } from "vitest"
import { parseLine } from "./typed-line.ts"

it.for([
  ["", { kind: "nothing" }],
  ["   ", { kind: "nothing" }],
  ["do it", { kind: "prompt", text: "do it" }],
  ["  indented", { kind: "prompt", text: "  indented" }],
  ["//etc is what?", { kind: "prompt", text: "/etc is what?" }],
  ["/stop", { kind: "stop" }],
  [" /quit ", { kind: "quit" }],
  ["/exit", { kind: "quit" }],
  ["/help", { kind: "help" }],
  ["/help tasks", { kind: "slash", name: "help", args: ["tasks"] }],
  ["/tasks", { kind: "slash", name: "tasks", args: [] }],
  [
    "/task:add  mend it --priority high",
    { kind: "slash", name: "task:add", args: ["mend", "it", "--priority", "high"] },
  ],
  ["/approve", { kind: "answer", command: "approve", idPrefix: undefined }],
  ["/approve apr_12", { kind: "answer", command: "approve", idPrefix: "apr_12" }],
  ["/deny apr_12", { kind: "answer", command: "deny", idPrefix: "apr_12" }],
] as const)("'%s' means %o", ([line, command]) => {
  expect(parseLine(line)).toEqual(command)
})

it.for(["/stop now", "/exit now", "/approve apr_1 apr_2", "/"])(
  "'%s' is nothing that is known, and is not sent",
  (line) => {
    expect(parseLine(line).kind).toBe("unknown")
  },
)
