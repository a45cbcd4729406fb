// Processes that a tool has started must not write the log: an agent could answer its own approvals there.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hostNamed, valueOf } from "../log/fixtures.ts"
import { freshMark } from "../processes/fixtures/marked.ts"
import { openFresh, type LogWithWriter } from "./fixtures.ts"

let opened: LogWithWriter

beforeEach(async () => {
  opened = openFresh()
  valueOf(await opened.log.registerHost(hostNamed("first", process.pid)))
})
afterEach(() => opened.remove())

/** The first line that the writer sends to a process with this environment. */
function firstFrame(env: Readonly<Record<string, string>>): unknown {
  const path = join(opened.place.folder, opened.writer())
  const client = `require("node:net").connect(process.argv[1]).once("data", (d) => { process.stdout.write(d); process.exit() })`
  const { stdout } = spawnSync(process.execPath, ["-e", client, path], { env, encoding: "utf8" })
  return JSON.parse(stdout)
}

describe.runIf(process.platform === "linux")("the log writer", () => {
  it("accepts a process that no tool started", () => {
    expect(firstFrame({})).toMatchObject({ hello: { release: expect.any(String) } })
  })

  it("refuses a process with the mark of a tool", () => {
    expect(firstFrame({ TURNHOUSE_MARK: `${freshMark()}:o:1` })).toEqual({
      refused: expect.stringContaining("it carries the mark of a tool's process"),
    })
  })
})
