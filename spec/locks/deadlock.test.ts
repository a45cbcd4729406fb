// Two agents in two hosts, each of which holds a lock and requests the other's.
import { mkdirSync } from "node:fs"
import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { bash, sendPrompt, startAgent, turn, type Agent, type Test } from "../ipc/agents.ts"
import { of, type RawViewer } from "../ipc/raw-viewer.ts"

async function holding(test: Test, agent: Agent, scope: string): Promise<RawViewer> {
  const viewer = await agent.viewer(test)
  const lock = { type: "acquire_lock", resource_type: "build", scope, description: "mine" }
  expect(await viewer.ask("lock_result", lock)).toMatchObject({ success: true })
  return viewer
}

it("of two agents in a deadlock the younger gets an error that names the cycle, and the older continues", async (test) => {
  const place = newPlace(test)
  place.config({ tools: { allow: ["*"], sandbox: "off" } })
  const folders = ["one", "two"].map((name) => place.path(name))
  for (const folder of folders) mkdirSync(folder)
  for (const name of ["one/Makefile", "two/Makefile"]) place.write(name, "all:\n\t@echo made\n")
  const [one = "", two = ""] = folders
  const agent = (name: string, wants: string) =>
    startAgent(place, ["--model", place.script([[bash(`make -C ${wants}`)], [{ text: "Done." }]], {}, `${name}.json`)])
  const [first, second] = [await agent("first", two), await agent("second", one)]
  const [older, younger] = [await holding(test, first, one), await holding(test, second, two)]
  await sendPrompt(older, "build")
  await older.next("tool_progress")
  const [refused] = of(await turn(younger, "build"), "tool_result")
  expect(refused?.error).toContain("Deadlock")
  for (const id of [first.id, second.id]) expect(refused?.error).toContain(id)
  await younger.ask("lock_released", { type: "release_lock", resource_type: "build", scope: two })
  expect(await older.next("tool_result")).toMatchObject({ output: expect.stringContaining("made") })
})
