// Settings of local sessions: model, prompt, providers, tools, policy, budgets and limits.
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, vi } from "vitest"
import type { Config } from "../../src/contract/config.ts"
import { needPackage } from "../need-package.ts"
import type { SettingTests } from "./setting-tests.ts"
import { eventIn, outcomeOfCall, prompted, type World } from "./world.ts"

const compatible = "openai-compatible"
type ProviderSettings = NonNullable<Config["providers"]>[string]

async function requestWith(world: World, provider: Partial<ProviderSettings>, config: Config = {}) {
  const server = await world.provider()
  const mine: ProviderSettings = {
    type: compatible,
    baseURL: `${server.url}/v1`,
    apiKey: "key-1234567890",
    ...provider,
  }
  await world.turn({ model: "mine/model-a", providers: { mine }, ...config })
  return await server.arrived(1)
}

/** The address of the request of a turn, which goes to a server on loopback instead. */
async function addressWith(world: World, provider: Partial<ProviderSettings>): Promise<string> {
  const server = await world.provider()
  const { fetch } = globalThis
  const urls: string[] = []
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input)
    urls.push(url.href)
    return fetch(`${server.url}${url.pathname}`, init)
  })
  try {
    const mine: ProviderSettings = { type: compatible, baseURL: server.url, apiKey: "key-1234567890", ...provider }
    await world.turn({ model: "mine/model-a", providers: { mine } })
    return urls[0] ?? ""
  } finally {
    vi.stubGlobal("fetch", fetch)
  }
}

async function offeredTools(world: World, tools: NonNullable<Config["tools"]>): Promise<readonly string[]> {
  const { body } = await requestWith(world, {}, { tools })
  const offered = Array.isArray(body["tools"]) ? body["tools"] : []
  return offered.map((tool: { function: { name: string } }) => tool.function.name).toSorted()
}

const echo: NonNullable<NonNullable<Config["tools"]>["define"]>[string] = {
  description: "Echoes.",
  input: { type: "object" },
  class: "read",
  run: ["echo", "from-echo"],
}

function defined(world: World, change: object = {}): Config {
  return { model: world.calls("mine", {}), tools: { define: { mine: { ...echo, ...change } } } }
}

/** Calls bash under the preset careful, which would ask. */
function bash(world: World, tools: Config["tools"], command = "echo hi"): Promise<string> {
  return world.call({ model: world.calls("bash", { command }), tools })
}

const languageServer = fileURLToPath(
  new URL("../../src/tools/diagnostics/fixtures/scripted-server.ts", import.meta.url),
)
const scripted = { command: [process.execPath, languageServer], files: ["*.x"], timeout: 60 }
let written = 0

/** The last line of the result after a file was written. */
async function reportOf(
  world: World,
  languageServers: NonNullable<Config["tools"]>["languageServers"],
  content: string,
): Promise<string> {
  written += 1
  const path = `${"b".repeat(written)}.x`
  const model = world.calls("write", { path, content })
  const [, ...lines] = (await world.call({ model, tools: { allow: ["*"], languageServers } })).split("\n")
  return lines.at(-1)?.replace(path, "b.x") ?? ""
}

export const sessionSettings: SettingTests = {
  model: async (world) => {
    for (const text of ["first", "second"])
      expect(eventIn(await world.turn({ model: world.script([{ text }]) }), "text.ended").text).toBe(text)
  },
  thinking: async (world) => {
    expect((await requestWith(world, {})).body["reasoning_effort"]).toBeUndefined()
    for (const thinking of ["low", "high"] as const)
      expect((await requestWith(world, {}, { thinking })).body["reasoning_effort"]).toBe(thinking)
  },
  fallback: async (world) => {
    const failing = await world.provider({ status: 529, headers: { "retry-after-ms": "1" }, times: 6 })
    const providers: Config["providers"] = { failing: { type: compatible, baseURL: `${failing.url}/v1` } }
    const spare = await world.provider()
    const both: Config["providers"] = { ...providers, spare: { type: compatible, baseURL: `${spare.url}/v1` } }
    await world.turn({ model: "failing/a", fallback: ["spare/b"], providers: both })
    expect((await spare.arrived(1)).body["model"]).toBe("b")
  },
  system: async (world) => {
    expect(JSON.stringify((await requestWith(world, {})).body)).not.toContain("Speak like a pirate.")
    const { body } = await requestWith(world, {}, { system: "Speak like a pirate." })
    expect(JSON.stringify(body)).toContain("Speak like a pirate.")
  },
  "providers.<name>.type": async (world) => {
    expect((await requestWith(world, { type: compatible })).path).toBe("/v1/chat/completions")
    expect((await requestWith(world, { type: "anthropic" })).path).toBe("/v1/messages")
  },
  "providers.<name>.baseURL": async (world) => {
    const other = await world.provider()
    await requestWith(world, {})
    expect(other.requests).toHaveLength(0)
    const mine: ProviderSettings = { type: compatible, baseURL: `${other.url}/elsewhere` }
    await world.turn({ model: "mine/a", providers: { mine } })
    expect((await other.arrived(1)).path).toBe("/elsewhere/chat/completions")
  },
  "providers.<name>.apiKey": async (world) => {
    expect((await requestWith(world, { apiKey: "key-one-111111" })).headers["authorization"]).toBe(
      "Bearer key-one-111111",
    )
    expect((await requestWith(world, { apiKey: "key-two-222222" })).headers["authorization"]).toBe(
      "Bearer key-two-222222",
    )
  },
  "providers.<name>.apiKey.command": async (world) => {
    const server = await world.provider({ blocks: [{ text: "The key is printed-key-3333." }] })
    const apiKey = { command: ["echo", "printed-key-3333"] }
    const mine: ProviderSettings = { type: compatible, baseURL: `${server.url}/v1`, apiKey }
    const events = await world.turn({ model: "mine/a", providers: { mine } })
    expect((await server.arrived(1)).headers["authorization"]).toBe("Bearer printed-key-3333")
    expect(eventIn(events, "text.ended").text).toMatch(/^The key is ‹redacted:providers\.mine\.apiKey:[0-9a-f]{4}›\.$/)
  },
  "providers.<name>.apiKey.keychain": async (world) => {
    const tool = world.write("bin/secret-tool", '#!/bin/sh\necho "key-of-$3-444444"\n')
    chmodSync(tool, 0o755)
    vi.stubEnv("PATH", `${dirname(tool)}:${process.env["PATH"] ?? ""}`)
    for (const keychain of ["work", "home"]) {
      const { headers } = await requestWith(world, { apiKey: { keychain } })
      expect(headers["authorization"]).toBe(`Bearer key-of-${keychain}-444444`)
    }
  },
  "providers.<name>.headers.<name>": async (world) => {
    expect((await requestWith(world, {})).headers["x-team"]).toBeUndefined()
    expect((await requestWith(world, { headers: { "x-team": "blue" } })).headers["x-team"]).toBe("blue")
  },
  "providers.<name>.region": async (world) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret-of-the-example")
    const signedFor = async (region: string) => {
      const { headers } = await requestWith(world, { type: "amazon-bedrock", apiKey: undefined, region })
      return /Credential=AKIDEXAMPLE\/\d+\/([^/]+)\//.exec(headers["authorization"] ?? "")?.[1]
    }
    expect(await signedFor("eu-west-1")).toBe("eu-west-1")
    expect(await signedFor("us-east-2")).toBe("us-east-2")
  },
  "providers.<name>.profile": async (world) => {
    const profiles = ["one", "two"].map(
      (name) => `[${name}]\naws_access_key_id=AKIA${name}\naws_secret_access_key=s3cret-${name}\n`,
    )
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", world.write("aws/credentials", profiles.join("")))
    for (const profile of ["one", "two"]) {
      const bedrock = { type: "amazon-bedrock", apiKey: undefined, region: "eu-west-1", profile } as const
      expect((await requestWith(world, bedrock)).headers["authorization"]).toContain(`Credential=AKIA${profile}/`)
    }
  },
  "providers.<name>.resourceName": async (world) => {
    for (const resourceName of ["corp-a", "corp-b"]) {
      const url = await addressWith(world, { type: "azure", baseURL: undefined, resourceName })
      expect(url).toBe(`https://${resourceName}.openai.azure.com/openai/v1/responses`)
    }
  },
  "providers.<name>.apiVersion": async (world) => {
    const baseURL = "https://gate.example/openai"
    for (const apiVersion of ["2024-10-21", "2025-04-01"]) {
      const url = await addressWith(world, { type: "azure", baseURL, apiVersion })
      expect(url).toBe(`${baseURL}/deployments/model-a/chat/completions?api-version=${apiVersion}`)
    }
  },
  "providers.<name>.project": async (world) => {
    const apiKey = { command: ["echo", "ya29.token-5555"] }
    for (const project of ["one", "two"])
      expect(await addressWith(world, { type: "vertex", apiKey, project })).toContain(`/projects/${project}/`)
  },
  "providers.<name>.location": async (world) => {
    const apiKey = { command: ["echo", "ya29.token-5555"] }
    const host = async (location: string) =>
      new URL(await addressWith(world, { type: "vertex", apiKey, project: "one", baseURL: undefined, location })).host
    expect(await host("europe-west1")).toBe("europe-west1-aiplatform.googleapis.com")
    expect(await host("global")).toBe("aiplatform.googleapis.com")
  },
  "tools.mode": async (world) => {
    expect(await offeredTools(world, { mode: "None" })).toEqual([])
    const core = ["bash", "bash_kill", "bash_output", "edit", "find", "grep", "ls", "read", "write"]
    expect(await offeredTools(world, { mode: "Core" })).toEqual(core)
  },
  "tools.mode.Explicit": async (world) => {
    expect(await offeredTools(world, { mode: { Explicit: ["read"] } })).toEqual(["read"])
    expect(await offeredTools(world, { mode: { Explicit: ["ls", "grep"] } })).toEqual(["grep", "ls"])
  },
  "tools.allow": async (world) => {
    expect(await bash(world, {})).toBe("asks the driver")
    expect(await bash(world, { allow: ["bash"] })).toBe("done: hi")
  },
  "tools.confirm": async (world) => {
    expect(await bash(world, { allow: ["bash"] })).toBe("done: hi")
    expect(await bash(world, { allow: ["bash"], confirm: ["ba*"] })).toBe("asks the driver")
  },
  "tools.approve": async (world) => {
    expect(await bash(world, {})).toBe("asks the driver")
    expect(await bash(world, { approve: ["bash"] })).toBe("asks the approver")
  },
  "tools.deny": async (world) => {
    expect(await bash(world, { allow: ["bash"] })).toBe("done: hi")
    expect(await bash(world, { allow: ["bash"], deny: ["bash"] })).toContain("refused: The configuration denies bash")
    world.write("folder/.env", "key=1")
    const search = world.calls("grep", { pattern: "key" })
    expect(await world.call({ model: search })).toContain(".env:1:key=1")
    expect(await world.call({ model: search, tools: { deny: ["Read(.env)"] } })).toBe("done: Nothing matches.")
  },
  "tools.env": async (world) => {
    vi.stubEnv("SHOP_TOKEN", "a-token-of-the-shop-4711")
    const look = 'test -n "$SHOP_TOKEN" && echo set || echo unset'
    expect(await bash(world, { allow: ["bash"] }, look)).toBe("done: unset")
    expect(await bash(world, { allow: ["bash"], env: ["SHOP_TOKEN"] }, look)).toBe("done: set")
  },
  "tools.format.<name>": async (world) => {
    const write = (path: string, tools: Config["tools"]) =>
      world.call({ model: world.calls("write", { path, content: "one\n" }), tools: { allow: ["*"], ...tools } })
    expect(await write("a.txt", {})).toBe("done: Created a.txt (4 bytes).")
    expect(await write("b.txt", { format: { "*.txt": ["false"] } })).toContain("[The formatter false failed (1):")
  },
  "tools.languageServers.<name>.command": async (world) => {
    expect(await reportOf(world, {}, "BAD")).toBe("")
    expect(await reportOf(world, { scripted }, "BAD")).toBe("b.x:1:1: error: bad line: BAD (scripted S1)")
  },
  "tools.languageServers.<name>.files": async (world) => {
    expect(await reportOf(world, { scripted }, "BAD")).toContain("bad line")
    expect(await reportOf(world, { scripted: { ...scripted, files: ["*.y"] } }, "BAD")).toBe("")
  },
  "tools.languageServers.<name>.initializationOptions": async (world) => {
    for (const initializationOptions of [{ level: 1 }, { level: 2 }])
      expect(await reportOf(world, { scripted: { ...scripted, initializationOptions } }, "OPTIONS")).toContain(
        JSON.stringify(initializationOptions),
      )
  },
  "tools.languageServers.<name>.settings": async (world) => {
    for (const part of ["one", "two"])
      expect(
        await reportOf(world, { scripted: { ...scripted, settings: { scripted: { part } } } }, "SETTINGS"),
      ).toContain(`["${part}"]`)
  },
  "tools.languageServers.<name>.timeout": async (world) => {
    const command = [process.execPath, languageServer, JSON.stringify({ initialize: "hang" })]
    for (const timeout of [0.2, 0.4])
      expect(await reportOf(world, { scripted: { ...scripted, command, timeout } }, "BAD")).toContain(
        `is still starting after ${timeout} s`,
      )
  },
  "tools.envOnly": async (world) => {
    vi.stubEnv("SHOP_NAME", "shop")
    const look = 'test -n "$SHOP_NAME" && echo set || echo unset'
    expect(await bash(world, { allow: ["bash"] }, look)).toBe("done: set")
    expect(await bash(world, { allow: ["bash"], envOnly: true }, look)).toBe("done: unset")
    expect(await bash(world, { allow: ["bash"], envOnly: true, env: ["SHOP_NAME"] }, look)).toBe("done: set")
  },
  "tools.sandbox": async (world) => {
    needPackage("bwrap", "bubblewrap")
    const look = `test -e ${join(world.home, "config.json")} && echo visible || echo hidden`
    expect(await bash(world, { allow: ["bash"], sandbox: "off" }, look)).toBe("done: visible")
    expect(await bash(world, { allow: ["bash"], sandbox: "require" }, look)).toBe("done: hidden")
  },
  "tools.network": async (world) => {
    needPackage("bwrap", "bubblewrap")
    const server = await world.provider()
    const look = `curl -sS -m 20 -o /dev/null -w '%{http_code}' ${server.url}/ || true`
    expect(await bash(world, { allow: ["bash"] }, look)).toMatch(/^done: [245]\d\d$/)
    expect(await bash(world, { allow: ["bash"], network: "none" }, look)).toContain("Couldn't connect")
    const off = bash(world, { allow: ["bash"], network: "none", sandbox: "off" }, look)
    await expect(off).rejects.toThrow("needs a sandbox")
  },
  "tools.network.allow": async (world) => {
    needPackage("bwrap", "bubblewrap")
    const server = await world.provider()
    const look = `curl -sS -m 20 --noproxy '' -o /dev/null -w '%{http_code}' ${server.url}/`
    const { host } = new URL(server.url)
    expect(await bash(world, { allow: ["bash"], network: { allow: [] } }, look)).toMatch(/^done: 403\n.*was refused/)
    expect(await bash(world, { allow: ["bash"], network: { allow: [host] } }, look)).toMatch(/^done: (?!403)\d\d\d$/)
  },
  "tools.define.<name>.description": async (world) => {
    const requestBody = async (description: string) =>
      JSON.stringify((await requestWith(world, {}, { tools: { define: { mine: { ...echo, description } } } })).body)
    expect(await requestBody("Finds an order.")).toContain("Finds an order.")
    expect(await requestBody("Cancels an order.")).toContain("Cancels an order.")
  },
  "tools.define.<name>.input": async (world) => {
    expect(await world.call(defined(world))).toBe("done: from-echo")
    expect(await world.call(defined(world, { input: { type: "object", required: ["order"] } }))).toMatch(/^refused: /)
  },
  "tools.define.<name>.class": async (world) => {
    expect(await world.call(defined(world, { class: "read" }))).toBe("done: from-echo")
    expect(await world.call(defined(world, { class: "unsafe" }))).toBe("asks the driver")
  },
  "tools.define.<name>.run": async (world) => {
    expect(await world.call(defined(world, { run: ["echo", "one"] }))).toBe("done: one")
    expect(await world.call(defined(world, { run: ["echo", "two"] }))).toBe("done: two")
  },
  "budget.usdPerTree": async (world) => {
    expect(eventIn(await world.turn({ model: world.script([{ text: "x" }]) }), "turn.ended").reason).toBe("done")
    const priced = `offline/script:${world.write("priced.json", JSON.stringify({ steps: [[{ text: "x" }]], pricePerMillion: { input: 1e6, output: 1e6 } }))}`
    expect(eventIn(await world.turn({ model: priced, budget: { usdPerTree: 0.01 } }), "turn.parked")).toBeDefined()
  },
  "budget.tokensPerTree": async (world) => {
    const spending = (tokensPerTree: number) =>
      world.turn({ model: world.script([{ text: "x" }]), budget: { tokensPerTree } })
    expect(eventIn(await spending(10_000_000), "turn.ended").reason).toBe("done")
    expect(eventIn(await spending(1), "turn.parked")).toBeDefined()
  },
  "limits.stepsPerTurn": async (world) => {
    const model = world.script([{ call: { tool: "ls", input: {} } }], [{ text: "done" }])
    expect(eventIn(await world.turn({ model }), "turn.ended").reason).toBe("done")
    expect(eventIn(await world.turn({ model, limits: { stepsPerTurn: 1 } }), "turn.ended").reason).toBe("step-limit")
  },
  "limits.depth": async (world) => {
    const call = (depth: number) =>
      world.call({
        model: world.calls("subagent", { task: "say hello", model: world.script([{ text: "x" }]) }),
        limits: { depth },
      })
    expect(await call(1)).toMatch(/^done: /)
    expect(await call(0)).not.toMatch(/^done: /)
  },
  "limits.children": async (world) => {
    const call = (children: number) =>
      world.call({
        model: world.calls("subagent", { task: "say hello", model: world.script([{ text: "x" }]) }),
        limits: { children },
      })
    expect(await call(1)).toMatch(/^done: /)
    expect(await call(0)).not.toMatch(/^done: /)
  },
  notify: async (world) => {
    const running = world.onTerminal({ model: world.calls("bash", { command: "true" }) })
    await running.prints("\u0007")
    const desktop = world.onTerminal({ model: world.calls("bash", { command: "true" }), notify: "desktop" })
    await desktop.prints("\u001b]9;Turnhouse: approve bash true\u0007")
    expect(desktop.stdout).not.toContain("\u001b]99;")
  },
  "notify.command": async (world) => {
    const command = ["touch", `${world.cwd}/called`]
    const running = world.onTerminal({ model: world.calls("bash", { command: "true" }), notify: { command } })
    await vi.waitFor(() => expect(existsSync(`${world.cwd}/called`)).toBe(true), { timeout: 60_000 })
    expect(running.stdout).not.toContain("\u0007")
  },
  theme: async (world) => {
    const drawn = async (theme: string | undefined) => {
      const terminal = world.onTerminal({ model: world.script([{ text: "x" }]), ...(theme ? { theme } : {}) }, "open")
      await terminal.prints("idle")
      return terminal.stdout
    }
    expect(await drawn(undefined)).not.toContain("\u001b[38;5;")
    expect(await drawn("dark")).toContain("\u001b[38;5;245m")
    const sequences = (await drawn("none")).split("\u001b[")
    expect(sequences.filter((rest) => /^3\d[;m]/.test(rest))).toEqual([])
  },
  "approvals.wait": async (world) => {
    const requestedApproval = async (approvals: Config["approvals"]) =>
      eventIn(await world.turn({ model: world.calls("bash", { command: "true" }), approvals }), "approval.requested")
    expect((await requestedApproval(undefined)).expiresAt).toBeUndefined()
    expect((await requestedApproval({ wait: 60 })).expiresAt).toBeGreaterThan(Date.now())
  },
  "references.enabled": async (world) => {
    const hasReferenceHint = async (enabled: boolean) => {
      const server = await world.provider()
      const mine: ProviderSettings = { type: compatible, baseURL: `${server.url}/v1` }
      const handle = await world.session({ model: "mine/a", providers: { mine }, references: { enabled } })
      await prompted(handle, "read src/refund.ts")
      await prompted(handle, "now change it")
      return JSON.stringify((await server.arrived(2)).body).includes("it = src/refund.ts")
    }
    expect(await hasReferenceHint(true)).toBe(true)
    expect(await hasReferenceHint(false)).toBe(false)
  },
  "instructions.enabled": async (world) => {
    writeFileSync(join(world.home, "AGENTS.md"), "Prefer tabs to spaces.")
    const getsInstructions = async (enabled: boolean) =>
      JSON.stringify((await requestWith(world, {}, { instructions: { enabled } })).body).includes("Prefer tabs")
    expect(await getsInstructions(true)).toBe(true)
    expect(await getsInstructions(false)).toBe(false)
  },
  "policy.taint": async (world) => {
    const call = async (taint: boolean) => {
      const model = world.calls("bash", { command: "echo hi" })
      const handle = await world.session({ model, tools: { allow: ["bash"] }, policy: { taint } })
      return outcomeOfCall(await prompted(handle, "a mail arrived", { untrustedSource: "mail" }))
    }
    expect(await call(false)).toBe("done: hi")
    expect(await call(true)).toBe("asks the driver")
  },
  "locks.file": async (world) => {
    const file = join(world.root, "elsewhere", "locks.db")
    execFileSync("git", ["init", "-q", world.cwd])
    const call = (locks: Config["locks"]) =>
      world.call({ model: world.calls("bash", { command: "git add ." }), tools: { allow: ["bash"] }, locks })
    expect(await call(undefined)).toMatch(/^done: /)
    expect(existsSync(file)).toBe(false)
    expect(await call({ file })).toMatch(/^done: /)
    expect(existsSync(file)).toBe(true)
  },
  "skills.paths": async (world) => {
    world.write("skills/returns/SKILL.md", "Ask for the receipt.")
    const skills = async (config: Config) => {
      const running = await world.start(config)
      const { sessionId } = await world.created(running)
      return await running.port.query({ type: "skills", sessionId })
    }
    expect(await skills({})).toMatchObject({ value: [] })
    expect(await skills({ skills: { paths: [join(world.root, "skills")] } })).toMatchObject({ value: ["returns"] })
  },
}
