// A host that is killed during a build: the next build does not start before the processes of the first have exited.
import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { bash, sendPrompt, startAgent, turn } from "../ipc/agents.ts"
import { of } from "../ipc/raw-viewer.ts"

/** The first build ignores SIGTERM and clears its environment, so that only its process group tells whose it is. */
const makefile = `
one:
\t@env -i PATH=/usr/bin:/bin flock work -c "trap '' TERM; touch begun; sleep 600"
two:
\t@flock -n work true && echo alone || echo overlap
`

it("the lock of a killed host is granted when the processes of its holder have exited", async (test) => {
  const place = newPlace(test)
  place.config({ tools: { allow: ["*"], sandbox: "off" } })
  place.write("Makefile", makefile)
  const agent = (target: string) =>
    startAgent(place, ["--model", place.script([[bash(`make ${target}`)], [{ text: "Done." }]], {}, `${target}.json`)])
  const [first, second] = [await agent("one"), await agent("two")]
  await sendPrompt(await first.viewer(test), "build")
  await eventually("the first build runs", () => existsSync(place.path("begun")) || undefined)
  const viewer = await second.viewer(test)
  const next = turn(viewer, "build")
  await viewer.next("tool_progress")
  first.running.signal("SIGKILL")
  const results = of(await next, "tool_result").map(({ output, error }) => output ?? error)
  expect(results).toEqual(["alone"])
})
