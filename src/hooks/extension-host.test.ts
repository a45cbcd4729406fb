// Warnings to the user about extensions, and output that cannot be logged.
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import { freshMark, markedPids } from "../processes/fixtures/marked.ts"
import { ProcessSupervisor } from "../processes/process-supervisor.ts"
import { discover } from "./discovery/discover.ts"
import { ExtensionHost, type ExtensionHostDeps } from "./extension-host.ts"
import type { Behaviour } from "./fixtures/misbehaving.ts"
import { discoveryIn, manifestOf, recorded, temporaryFolder, writePlugin } from "./fixtures/plugins.ts"
import { ExtensionMemory } from "./memory.ts"
import { unconfined } from "./process/plugin-sandbox.ts"

const rootId = "01890000-0000-7000-8000-000000000001"
const tool = { name: "bash", runtimeName: "bash", input: { command: "ls" } }
const block = { action: "block", reason: "not here" }
const soon = { timeout: 20_000, interval: 10 }

/** A session with one extension, and the warnings to the user. */
function sessionWith(
  id: string,
  behaviour: Behaviour,
  more: Partial<ExtensionHostDeps> = {},
  manifest: Record<string, JsonValue> = {},
) {
  const root = temporaryFolder()
  writePlugin(root, id, manifestOf(behaviour, manifest))
  const mark = freshMark()
  const processes = new ProcessSupervisor(mark)
  const alarms: string[] = []
  const host = new ExtensionHost({
    processes,
    release: "0.0.0",
    alarm: (sentence) => void alarms.push(sentence),
    debug: () => {},
    services: { memory: new ExtensionMemory(root), configFolder: root, now: Date.now, scrub: (text) => text },
    ...more,
  })
  onTestFinished(async () => {
    await host.close()
    await processes.close()
  })
  const plan = {
    found: discover(discoveryIn([root])),
    failClosed: [],
    disabled: [],
    shared: [],
    canaries: {},
    starter: unconfined,
  }
  return { session: host.enter(rootId, () => plan), alarms, mark }
}

describe("a warning about an extension", () => {
  it("is one line without terminal control characters, whatever the extension's name", async () => {
    const { session, alarms } = sessionWith("a\u001b[31m\nb", { initialize: "exit" })
    await session.ready()
    await expect.poll(() => alarms, soon).toHaveLength(1)
    expect(alarms[0]).toMatch(/^extension a \[31m b was not loaded: /)
  })

  it("does not mention a drill when none is configured, whatever the extension's name", async () => {
    const { session, alarms } = sessionWith("constructor", { answer: { action: "continue" } })
    await session.beforeToolCall(tool, rootId)
    await session.beforeToolCall(tool, rootId)
    expect(alarms).toEqual([])
  })
})

it.for([{ permissions: ["root"] }, { command: 7 }, { hooks: [{ hook: "onSessionStart" }] }])(
  "an extension with an invalid manifest is reported and never started: %o (case 54)",
  async (manifest) => {
    const record = join(temporaryFolder(), "record")
    const { session, alarms, mark } = sessionWith("bad", { record }, {}, manifest)
    expect(await session.beforeToolCall(tool, rootId)).toEqual({ kind: "continue" })
    expect(alarms).toEqual([expect.stringContaining("extension bad was not loaded")])
    expect([recorded(record), await markedPids(mark)]).toEqual([[], []])
  },
)

it("an extension whose output cannot be logged keeps running, and the user is warned once", async () => {
  const debug = () => {
    throw new Error("the disk is full")
  }
  const { session, alarms } = sessionWith("loud", { manner: "flood stderr", answer: block }, { debug })
  expect(await session.beforeToolCall(tool, rootId)).toMatchObject({ kind: "block" })
  await expect.poll(() => alarms, soon).toHaveLength(1)
  expect(alarms[0]).toBe("the output of extension loud could not be logged: the disk is full.")
})
