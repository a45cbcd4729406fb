// Settings of extensions and guards.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Config } from "../../src/contract/config.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { manifestOf, writePlugin } from "../../src/hooks/fixtures/plugins.ts"
import type { SettingTests } from "./setting-tests.ts"
import { prompted, visitorOf, type World } from "./world.ts"

const block = { action: "block", reason: "no" }

/** A folder with one extension of this behaviour. */
function pluginFolder(world: World, id: string, behaviour: Parameters<typeof manifestOf>[0] = {}): string {
  const folder = join(world.root, `plugins-${id}`)
  writePlugin(folder, id, manifestOf(behaviour))
  return folder
}

/** The ids of the extensions of a new session. */
async function extensionsOf(world: World, config: Config, wish = {}): Promise<readonly string[]> {
  const running = await world.start(config)
  await world.created(running, { model: world.script([]), ...wish })
  const found = await running.port.query({ type: "extensions" })
  const lines = found.kind === "answer" && Array.isArray(found.value) ? found.value : []
  return lines.map((line: { id: string }) => line.id).toSorted()
}

/** A call of bash while an extension has a say. */
function call(world: World, extensions: Config["extensions"], guards?: Config["guards"]): Promise<string> {
  const model = world.calls("bash", { command: "echo hi" })
  return world.call({ model, tools: { allow: ["bash"] }, extensions, guards })
}

export const extensionSettings: SettingTests = {
  "extensions.paths": async (world) => {
    const paths = [pluginFolder(world, "policy", { answer: block })]
    expect(await call(world, {})).toBe("done: hi")
    expect(await call(world, { paths })).toMatch(/^refused: /)
  },
  "extensions.disabled": async (world) => {
    const paths = [pluginFolder(world, "policy", { answer: block })]
    expect(await call(world, { paths })).toMatch(/^refused: /)
    expect(await call(world, { paths, disabled: ["policy"] })).toBe("done: hi")
  },
  "extensions.failClosed": async (world) => {
    const paths = [pluginFolder(world, "policy", { manner: "exit always" })]
    expect(await call(world, { paths })).toBe("done: hi")
    expect(await call(world, { paths, failClosed: ["policy"] })).toMatch(/^refused: /)
  },
  "extensions.shared": async (world) => {
    const paths = [pluginFolder(world, "crm")]
    const agents = { shop: { extensions: ["crm"] } }
    expect(await extensionsOf(world, { agents, extensions: { paths } }, visitorOf("shop"))).toEqual([])
    expect(await extensionsOf(world, { agents, extensions: { paths, shared: ["crm"] } }, visitorOf("shop"))).toEqual([
      "crm",
    ])
  },
  "hooks.PreToolUse": async (world) => {
    expect(await callWithHooks(world, { PreToolUse: [hookOf("echo not today >&2; exit 2", "Bash")] })).toContain(
      "not today",
    )
    expect(await callWithHooks(world, { PreToolUse: [hookOf("exit 2", "Write|Edit")] })).toBe("done: hi")
  },
  "hooks.PostToolUse": async (world) => {
    const said = hookOf("echo format it >&2; exit 2")
    expect(await callWithHooks(world, { PostToolUse: [said] })).toBe("done: hi\n[hook] format it")
  },
  "hooks.UserPromptSubmit": (world) => expectHookRuns(world, "UserPromptSubmit"),
  "hooks.Stop": (world) => expectHookRuns(world, "Stop"),
  "hooks.SessionStart": (world) => expectHookRuns(world, "SessionStart"),
  "hooks.SessionEnd": (world) => expectHookRuns(world, "SessionEnd"),
  "agents.<name>.extensions": async (world) => {
    const extensions = { paths: [pluginFolder(world, "crm")], shared: ["crm"] }
    expect(await extensionsOf(world, { extensions, agents: { shop: {} } }, visitorOf("shop"))).toEqual([])
    const agents = { shop: { extensions: ["crm"] } }
    expect(await extensionsOf(world, { extensions, agents }, visitorOf("shop"))).toEqual(["crm"])
  },
  "guards.<name>.canary.tool": async (world) => {
    const extensions = guardOf(world, { hook: "before_tool_call", tool: "bash" })
    const drilledWith = (tool: string) => call(world, extensions, { policy: { canary: { tool, input: {} } } })
    expect(await drilledWith("bash")).toContain("not allowed here")
    expect(await drilledWith("write")).toContain("drill")
  },
  "guards.<name>.canary.input": async (world) => {
    const extensions = guardOf(world, { hook: "before_tool_call", tool: "bash", match: { input_contains: "echo" } })
    const drilledWith = (command: string) =>
      call(world, extensions, { policy: { canary: { tool: "bash", input: { command } } } })
    expect(await drilledWith("echo canary")).toContain("not allowed here")
    expect(await drilledWith("true")).toContain("drill")
  },
}

function hookOf(command: string, matcher?: string) {
  const hooks = [{ type: "command" as const, command }]
  return matcher === undefined ? { hooks } : { matcher, hooks }
}

function callWithHooks(world: World, hooks: Config["hooks"]): Promise<string> {
  return world.call({ model: world.calls("bash", { command: "echo hi" }), tools: { allow: ["bash"] }, hooks })
}

/** The hook leaves a file. */
async function expectHookRuns(world: World, name: keyof NonNullable<Config["hooks"]>): Promise<void> {
  const file = join(world.root, `${name}.json`)
  const running = await world.start({
    model: world.script([{ text: "hello" }]),
    hooks: { [name]: [hookOf(`cat > ${file}`)] },
  })
  await prompted(await world.created(running), "go")
  await running.close()
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ hook_event_name: name })
}

/** A guard with one hook that blocks all that it is asked about. */
function guardOf(world: World, hook: { readonly [member: string]: JsonValue }): NonNullable<Config["extensions"]> {
  const folder = join(world.root, "guards")
  const reason = "not allowed here"
  writePlugin(folder, "policy", manifestOf({ answer: { action: "block", reason } }, { hooks: [hook] }))
  return { paths: [folder], failClosed: ["policy"] }
}
