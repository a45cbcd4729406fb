import { expect, it } from "vitest"
import { newId } from "../../host/new-ids.ts"
import { systemClock, timing } from "../../hooks/process/clock.ts"
import { SessionCommands } from "../../hooks/commands/session-commands.ts"
import { SessionHooks } from "../../hooks/session-hooks.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { initialState } from "../../session/evolve.ts"
import { HookPoints } from "./hook-points.ts"
import { unconfined } from "../../hooks/process/plugin-sandbox.ts"

it("a session has the commands of its plugins", async () => {
  const does = { kind: "prompt", prompt: "Review ${args}.", skill: undefined } as const
  const about = { ownName: "review", plugin: "a", folder: "/", description: "Reviews.", usage: "FILE" }
  const program = {
    processes: new ProcessSupervisor("unused"),
    owner: "s",
    starter: unconfined,
    clock: systemClock,
    ms: 1,
  }
  const commands = new SessionCommands([{ ...about, name: "a:review", action: does }], [], program)
  const options = { own: [], shared: [], clock: systemClock, timing, debug: () => {} }
  const source = (hooks: SessionHooks) => ({ enter: () => hooks, leave: () => Promise.resolve() })
  const points = new HookPoints(source(new SessionHooks({ ...options, commands })), newId(), initialState, [])
  const never = new AbortController().signal
  expect(points.commands).toEqual([{ name: "a:review", description: "Reviews.", usage: "FILE", extension: "a" }])
  expect(await points.runCommand("a:review", ["x.ts"], { signal: never, inPlan: false })).toEqual({
    kind: "prompt",
    text: "Review x.ts.",
  })
  const without = new HookPoints(source(new SessionHooks(options)), newId(), initialState, [])
  expect(without.commands).toEqual([])
  expect(await without.runCommand("a:review", [], { signal: never, inPlan: false })).toEqual({ kind: "unknown" })
})
