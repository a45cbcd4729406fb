import { describe, expect, it } from "vitest"
import { systemClock, timing } from "../../hooks/process/clock.ts"
import { SessionCommands } from "../../hooks/commands/session-commands.ts"
import { SessionHooks } from "../../hooks/session-hooks.ts"
import type { PluginCommand } from "../../hooks/commands/plugin-command.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { HookSource } from "../../runner/hooks/hook-points.ts"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommands } from "../../runner/session-context.ts"
import { newSession, testHost } from "../../testing/test-host.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"
import { unconfined } from "../../hooks/process/plugin-sandbox.ts"

const answers = new Map<string, CommandAnswer>([
  ["fix", { kind: "prompt", text: "Mend it." }],
  ["show", { kind: "output", text: "the key is hunter2hunter2" }],
  ["fail", { kind: "failed", why: "no hunter2hunter2" }],
])

const written: TypedCommands = {
  list: () => Promise.resolve([{ name: "fix", description: "Mends", source: "folder" }]),
  run: (name) => Promise.resolve(answers.get(name) ?? { kind: "unknown" }),
}

const offered = ["tidy:sweep", "fix"].map((name): PluginCommand => ({
  name,
  ownName: name,
  description: "Sweeps",
  usage: undefined,
  plugin: "tidy",
  folder: "/",
  action: { kind: "prompt", prompt: "Sweep ${args}.", skill: undefined },
}))

function withExtension(): HookSource {
  const deps = {
    processes: new ProcessSupervisor("test"),
    owner: "test",
    starter: unconfined,
    clock: systemClock,
    ms: 1000,
  }
  const commands = new SessionCommands(offered, [], deps)
  const hooks = new SessionHooks({ own: [], shared: [], clock: systemClock, timing, debug: () => {}, commands })
  return { enter: () => hooks, leave: () => Promise.resolve() }
}

async function place(hooks?: HookSource) {
  const scrubber = {
    text: (text: string) => text.replaceAll("hunter2hunter2", "‹redacted›"),
    json: <Value>(value: Value) => value,
    stream: () => ({ push: (piece: string) => piece, end: () => "" }),
  }
  const { host } = await testHost(scriptedSource([]), [], { commands: written, scrubber, hooks })
  const { id: sessionId } = await newSession(host)
  const port = portOf(host)
  return {
    list: () => port.query({ type: "commands", sessionId }),
    run: (name: string, args: string[] = []) => port.perform({ type: "run-command", sessionId, name, args }),
  }
}

describe("the commands of a session", () => {
  it("are those of the user and of its extensions, which shadow none of the user's", async () => {
    const { list, run } = await place(withExtension())
    expect(await list()).toEqual({
      kind: "answer",
      value: [
        { name: "fix", description: "Mends", source: "folder" },
        { name: "tidy:sweep", description: "Sweeps", source: "tidy" },
      ],
    })
    expect(await run("fix")).toEqual({ kind: "answer", value: { kind: "prompt", text: "Mend it." } })
    expect(await run("tidy:sweep", ["the", "floor"])).toMatchObject({ value: { text: "Sweep the floor." } })
  })

  it("that do not exist are refused, with or without extensions", async () => {
    const refusal = { code: "command.unknown", name: "nope" }
    expect(await (await place()).run("nope")).toEqual({ kind: "refused", refusal })
    expect(await (await place(withExtension())).run("nope")).toEqual({ kind: "refused", refusal })
  })

  it("show no secret, whether they succeed or fail", async () => {
    const { run } = await place()
    expect(await run("show")).toMatchObject({ value: { kind: "output", text: "the key is ‹redacted›" } })
    expect(await run("fail")).toMatchObject({ refusal: { code: "command.failed", what: "no ‹redacted›" } })
  })
})
