import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { freshMark, markedPids } from "../../processes/fixtures/marked.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { testClock } from "../../testing/test-clock.ts"
import type { Clock } from "../process/clock.ts"
import { discover } from "../discovery/discover.ts"
import { ExtensionHost } from "../extension-host.ts"
import type { Behaviour } from "../fixtures/misbehaving.ts"
import { discoveryIn, manifestOf, recorded, temporaryFolder, writeManifest, writePlugin } from "../fixtures/plugins.ts"
import { ExtensionMemory } from "../memory.ts"
import { unconfined } from "../process/plugin-sandbox.ts"

const rootId = "01890000-0000-7000-8000-000000000001"
const never = new AbortController().signal

interface Plugin {
  readonly commands: JsonValue
  readonly behaviour?: Behaviour
  readonly more?: Record<string, JsonValue>
}

/** The hooks of a session with these plugins; those with a behaviour are extensions. */
function sessionWith(plugins: Readonly<Record<string, Plugin>>, clock?: Clock, env: Record<string, string> = {}) {
  const root = temporaryFolder()
  for (const [id, { commands, behaviour, more }] of Object.entries(plugins))
    if (behaviour === undefined) writeManifest(root, id, { commands })
    else writePlugin(root, id, manifestOf(behaviour, more), { commands })
  const mark = freshMark()
  const processes = new ProcessSupervisor(mark)
  const host = new ExtensionHost({
    processes,
    release: "0.0.0",
    alarm: () => {},
    debug: () => {},
    services: { memory: new ExtensionMemory(root), configFolder: root, now: Date.now, scrub: (text) => text },
    ...(clock === undefined ? {} : { clock }),
  })
  onTestFinished(async () => {
    await host.close()
    await processes.close()
  })
  const request = discoveryIn([root])
  const found = discover({ ...request, env: { ...request.env, ...env } })
  const plan = { found, failClosed: [], disabled: [], shared: [], canaries: {}, starter: unconfined }
  const hooks = host.enter(rootId, () => plan)
  const run = (name: string, args: readonly string[] = [], signal = never) =>
    hooks.runCommand(name, args, { signal, inPlan: false })
  return { root, hooks, host, run, mark }
}

const sh = (script: string) => ({ name: "go", command: "sh", args: ["-c", script, "go"] })

describe("the names of commands", () => {
  it("start with the plugin's id, so that plugins do not collide", async () => {
    const { hooks, run } = sessionWith({
      b: { commands: [{ name: "hello", description: "Of b.", command: "echo", args: ["b"] }] },
      a: { commands: [{ name: "hello", command: "echo", args: ["a"], usage: "[NAME]" }] },
    })
    expect(hooks.commands).toEqual([
      { name: "a:hello", description: "", usage: "[NAME]", extension: "a" },
      { name: "b:hello", description: "Of b.", extension: "b" },
    ])
    expect(await run("b:hello", ["you"])).toEqual({ kind: "output", text: "b you" })
    expect(await run("hello")).toEqual({
      kind: "failed",
      why: "several plugins have this command; use one of: a:hello, b:hello",
    })
    expect(await run("goodbye")).toEqual({ kind: "unknown" })
    expect(await run("a:goodbye")).toEqual({ kind: "unknown" })
  })

  it("need no prefix when only one plugin has the command", async () => {
    const { run } = sessionWith({ a: { commands: [{ name: "hello", command: "echo" }] } })
    expect(await run("hello", ["it", "is  me"])).toEqual({ kind: "output", text: "it is  me" })
  })
})

describe("the program of a command", () => {
  it("runs in the plugin's folder with a minimal environment", async () => {
    const secrets = { ANTHROPIC_API_KEY: "sk-x", TURNHOUSE_HOME: "/nowhere" }
    const { root, run } = sessionWith(
      { a: { commands: [sh("pwd; env | cut -d= -f1 | sort | tr '\\n' ' '")] } },
      undefined,
      secrets,
    )
    const answer = await run("a:go")
    expect(answer).toMatchObject({ kind: "output" })
    const [folder, names = ""] = answer.kind === "output" ? answer.text.split("\n") : []
    expect(folder).toBe(join(root, "a"))
    expect(names).toContain("PATH")
    expect(names).toContain("PLUGIN_DIR")
    expect(names).not.toMatch(/ANTHROPIC|TURNHOUSE_HOME/)
  })

  it("may be in that folder", async () => {
    const { root, run } = sessionWith({ a: { commands: [{ name: "go", command: "bin/tool", args: ["x"] }] } })
    mkdirSync(join(root, "a", "bin"))
    writeFileSync(join(root, "a", "bin", "tool"), '#!/bin/sh\necho "$@"\n')
    chmodSync(join(root, "a", "bin", "tool"), 0o755)
    expect(await run("a:go", ["y z"])).toEqual({ kind: "output", text: "x y z" })
  })

  it.each([
    [sh("echo before; echo why >&2; exit 3"), /^it ended with exit code 3\nbefore\nwhy$/],
    [{ name: "go", command: "no-such-program" }, /^its program no-such-program was not found\b/],
    [{ name: "go", command: ".synaps-plugin/plugin.json" }, /^its program \S+ cannot be run\b/],
    [sh("kill -9 $$"), /^it was terminated by SIGKILL$/],
  ])("that fails, %j, is reported with its output", async (command, why) => {
    const { run } = sessionWith({ a: { commands: [command] } })
    expect(await run("a:go")).toEqual({ kind: "failed", why: expect.stringMatching(why) })
  })

  it("has bounded output without terminal control characters", async () => {
    const { run } = sessionWith({
      a: { commands: [{ ...sh("head -c 400000 /dev/zero | tr '\\0' x"), name: "much" }] },
      b: { commands: [sh(String.raw`printf '\033[31mred\033[0m \007bell\r\nnext\tcell\n'`)] },
    })
    const much = await run("a:much")
    expect(much).toEqual({ kind: "output", text: `${"x".repeat(262_144)}\n(137856 more bytes omitted)` })
    expect(await run("b:go")).toEqual({ kind: "output", text: "red bell\nnext\tcell" })
  })

  it("is killed with its children after its timeout or when cancelled", async () => {
    const clock = testClock()
    const { run, mark } = sessionWith({ a: { commands: [sh("sleep 1000 & sleep 1000")] } }, clock)
    const late = run("a:go")
    await expect.poll(async () => (await markedPids(mark)).length).toBeGreaterThan(1)
    await clock.advance(120_000)
    expect(await late).toEqual({ kind: "failed", why: "it did not finish within 120 s" })
    const stop = new AbortController()
    const unwanted = run("a:go", [], stop.signal)
    await expect.poll(async () => (await markedPids(mark)).length).toBeGreaterThan(1)
    stop.abort()
    expect(await unwanted).toEqual({ kind: "failed", why: "it was cancelled" })
    expect(await markedPids(mark)).toEqual([])
    expect(await run("a:go", [], AbortSignal.abort())).toEqual({ kind: "failed", why: "it was cancelled" })
  })

  it("ends with the session", async () => {
    const { run, mark, host } = sessionWith({ a: { commands: [sh("sleep 1000")] } })
    const running = run("a:go")
    await expect.poll(() => markedPids(mark)).not.toEqual([])
    await host.leave(rootId)
    expect(await markedPids(mark)).toEqual([])
    expect(await running).toEqual({ kind: "failed", why: "it was cancelled" })
  })
})

describe("the prompt of a command", () => {
  it("has the arguments in place of ${args}, or at its end", async () => {
    const { run } = sessionWith({
      a: {
        commands: [
          { name: "in", prompt: "Review ${args}, all of ${args}." },
          { name: "after", prompt: "Review this:" },
        ],
      },
    })
    expect(await run("a:in", ["$&", "b"])).toEqual({ kind: "prompt", text: "Review $& b, all of $& b." })
    expect(await run("a:after", ["a", "b"])).toEqual({ kind: "prompt", text: "Review this:\na b" })
    expect(await run("a:after")).toEqual({ kind: "prompt", text: "Review this:" })
  })

  it("starts with the skill that it names, if the plugin has it", async () => {
    const commands = ["kind", "gone", "..", "outside"].map((skill) => ({ name: `with-${skill}`, skill, prompt: "Go." }))
    const { root, run } = sessionWith({ a: { commands } })
    const skills = join(root, "a", "skills")
    mkdirSync(join(skills, "kind"), { recursive: true })
    mkdirSync(join(skills, "outside"))
    writeFileSync(join(skills, "kind", "SKILL.md"), "---\nname: kind\n---\nBe kind.\n")
    writeFileSync(join(root, "secret"), "not yours")
    symlinkSync(join(root, "secret"), join(skills, "outside", "SKILL.md"))
    expect(await run("a:with-kind")).toEqual({ kind: "prompt", text: "Be kind.\n\nGo." })
    for (const name of ["a:with-gone", "a:with-..", "a:with-outside"])
      expect(await run(name)).toEqual({ kind: "prompt", text: "Go." })
  })

  it("fails when it is empty", async () => {
    const { run } = sessionWith({ a: { commands: [{ name: "go", skill: "gone" }] } })
    expect(await run("a:go")).toMatchObject({ kind: "failed" })
  })
})

describe("a command that an extension runs itself", () => {
  const commands = [{ name: "ask", interactive: true }]

  it("is invoked by its own name, and the result is the output", async () => {
    const record = join(temporaryFolder(), "record")
    const { run } = sessionWith({ a: { commands, behaviour: { answer: { output: "Fine.", exit: 0 }, record } } })
    expect(await run("a:ask", ["new", "x"])).toEqual({ kind: "output", text: "Fine." })
    expect(recorded(record).at(-1)).toMatchObject({
      method: "command.invoke",
      params: { command: "ask", args: ["new", "x"], request_id: expect.stringMatching(/^[\w-]{36}$/) },
    })
  })

  it("collects its notifications, flat or nested, and ignores those of other requests", async () => {
    const says = [
      { event: { kind: "system", content: "Looking." } },
      { kind: "text", content: "Found \u001b[1m2\u001b[0m." },
      { request_id: "another", kind: "text", content: "not this" },
      { event: { kind: "table", headers: ["id", "size"], rows: [["tiny", "75 MB"], "no row", ["b", 3]] } },
      { event: { kind: "error", content: "One is broken." } },
      { event: { kind: "weird" } },
      { event: 7 },
      { event: { kind: "done" } },
    ]
    const { run } = sessionWith({ a: { commands, behaviour: { says, answer: { ok: true } } } })
    const text = "Looking.\nFound 2.\nid    size\ntiny  75 MB\n\nb\nerror: One is broken."
    expect(await run("a:ask")).toEqual({ kind: "output", text })
  })

  it.each([
    [{ says: [{ kind: "error", content: "No." }], answer: null }, "error: No."],
    [{ manner: "error" }, "no idea"],
    [{ manner: "exit always" }, "it ended with exit code 1"],
    [{ initialize: "exit" }, /^the extension a is not loaded: /],
  ] satisfies [Behaviour, string | RegExp][])("fails when the extension does: %j", async (behaviour, why) => {
    const { run } = sessionWith({ a: { commands, behaviour } })
    expect(await run("a:ask")).toEqual({ kind: "failed", why: expect.stringMatching(why) })
  })

  it("is not run twice, and ends at once when cancelled", async () => {
    const record = join(temporaryFolder(), "record")
    const { run } = sessionWith({ a: { commands, behaviour: { manner: "hang", record } } })
    const stop = new AbortController()
    const asked = run("a:ask", [], stop.signal)
    await expect.poll(() => recorded(record).at(-1)?.method).toBe("command.invoke")
    stop.abort()
    expect(await asked).toEqual({ kind: "failed", why: "it was cancelled" })
    expect(recorded(record).filter(({ method }) => method === "command.invoke")).toHaveLength(1)
  })
})

describe("a command that is a tool of its extension", () => {
  const tools = [{ name: "note", description: "Notes.", input_schema: {} }]
  const greeting = { protocol_version: 1, capabilities: { tools } }
  const more = { permissions: ["tools.register"], hooks: [] }
  const commands = [
    { name: "note", tool: "note", input: { text: "${args}", deep: ["<${args}>", 1, null] } },
    { name: "gone", tool: "gone" },
  ]

  it("calls it with the arguments", async () => {
    const record = join(temporaryFolder(), "record")
    const { run } = sessionWith({
      a: { commands, more, behaviour: { greeting, record, answer: { content: "Noted." } } },
    })
    expect(await run("a:note", ["buy", "milk"])).toEqual({ kind: "output", text: "Noted." })
    expect(recorded(record).at(-1)).toMatchObject({
      method: "tool.call",
      params: { name: "note", input: { text: "buy milk", deep: ["<buy milk>", 1, null] } },
    })
    expect(await run("a:gone")).toEqual({ kind: "failed", why: "the extension a has no tool 'gone'" })
  })
})
