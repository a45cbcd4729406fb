import { expect, it } from "vitest"
import type { McpServerReport } from "../../contract/views/host.ts"
import { liveLines } from "./list.ts"

const ready: McpServerReport = {
  name: "files",
  sessionId: "01890000-0000-7000-8000-000000000001",
  source: "/config.json",
  state: "ready",
  tools: 14,
  pid: 7,
  connectMs: 412,
  lastError: null,
}

it("shows one line for each state of a server in open sessions", () => {
  const failed = { ...ready, state: "failed", lastError: "it ended\nwith exit code 3" } as const
  expect(liveLines([ready, failed, ready, { ...ready, state: "starting" }])).toEqual([
    "files: running in 2 sessions · 14 tools · connected in 412 ms",
    "files: failed in 1 session: it ended with exit code 3",
    "files: starting in 1 session",
  ])
})

it("shows nothing for a server that no session has used", () => {
  expect(liveLines([])).toEqual([])
  expect(liveLines([{ ...ready, state: "idle" }])).toEqual([])
})
