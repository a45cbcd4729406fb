// MCP servers through the real program: those of npm, and one that misbehaves. The model is a script.
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { misbehavingProgram, programOf } from "../../src/mcp/fixtures/servers.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { startRpc } from "../../src/clients/rpc/index.ts"
import { eventually } from "./eventually.ts"
import { expectIdle, expectValid } from "./history.ts"
import { eventsOf, object, objects } from "./printed.ts"
import { runningWith } from "./processes.ts"
import { newPlace, openInput, type Place } from "./turnhouse.ts"

const node = process.execPath

function odd(mode: string, more: object = {}, log?: string) {
  return { command: node, args: [misbehavingProgram, mode, ...(log === undefined ? [] : [log])], ...more }
}

function call(tool: string, input: JsonValue) {
  return { call: { tool, input } }
}

/** What the last call of the newest session came to. */
async function results(place: Place): Promise<readonly string[]> {
  const log = await place.log(await place.newest())
  expectValid(log)
  return eventsOf(log, "tool.ended").map(({ outcome, output }) => `${outcome}: ${output}`)
}

describe.concurrent("a server from npm", () => {
  it("writes a file once, after a person has approved the exact call", async (test) => {
    const place = newPlace(test)
    const files = { command: node, args: [programOf("@modelcontextprotocol/server-filesystem"), place.folder] }
    place.config({ mcpServers: { files } })
    const input = { path: place.path("made.txt"), content: "by the server" }
    const model = place.script([
      [call("mcp__files__write_file", input)],
      [{ expect: { toolResult: "Successfully wrote" } }, { text: "Written." }],
    ])
    const running = place.start(["run", "go", "--wait", "100", "--model", model])
    const asked = await eventually("the request", async () => {
      const { stdout } = await place.run("approvals")
      return stdout.includes("mcp__files__write_file") ? stdout : undefined
    })
    expect(asked).toContain("made.txt")
    expect(place.has("made.txt")).toBe(false)
    const [id = ""] = /apr_\w+/.exec(asked) ?? []
    expect(await place.run("approve", id)).toMatchObject({ code: 0 })
    expect(await running.ended).toMatchObject({ code: 0, stdout: "Written.\n" })
    expect(place.read("made.txt")).toBe("by the server")
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "tool.started")).toMatchObject([{ class: "unsafe" }])
    expect(eventsOf(log, "tool.ended")).toMatchObject([{ untrustedSource: "MCP server files" }])
  })

  it("is refused a call where no person can be asked, unless the configuration allows the tool", async (test) => {
    const place = newPlace(test)
    const everything = { command: node, args: [programOf("@modelcontextprotocol/server-everything"), "stdio"] }
    place.config({ mcpServers: { everything } })
    const model = place.script([[call("mcp__everything__echo", { message: "hello" })], [{ text: "Done." }]])
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 3 })
    place.config({ mcpServers: { everything }, tools: { allow: ["mcp__everything"] } })
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(await results(place)).toEqual(["done: Echo: hello"])
  })
})

describe.concurrent("a server that hangs", () => {
  const allow = { tools: { allow: ["mcp__*"] } }

  it("at its start does not hang the turn, and is named once", async (test) => {
    const place = newPlace(test)
    place.config({ ...allow, mcpServers: { odd: odd("hang-start", { startTimeout: 1 }) } })
    const model = place.script([[{ text: "Done." }]])
    const { code, stdout, stderr } = await place.run("run", "go", "--model", model)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
    expect(stderr.split("MCP server 'odd' is not available: it did not answer in 1 s.")).toHaveLength(2)
  })

  it("in a call does not hang the turn", async (test) => {
    const place = newPlace(test)
    place.config({ ...allow, mcpServers: { odd: odd("hang-call", { timeout: 1 }) } })
    const model = place.script([[call("mcp__odd__work", {})], [{ text: "Done." }]])
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(await results(place)).toEqual(["failed: MCP server 'odd' did not answer in 1 s; what it did is unknown."])
  })

  it("at its exit does not hang the program, and is gone afterwards", async (test) => {
    const place = newPlace(test)
    const log = place.path("log")
    place.config({ ...allow, mcpServers: { odd: odd("hang-exit", {}, log) } })
    const model = place.script([[call("mcp__odd__work", { value: "x" })], [{ text: "Done." }]])
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(readFileSync(log, "utf8")).toContain("call 1")
    await eventually("the end of the server", () => runningWith(log).length === 0 || undefined)
  })
})

it("asks the person instead of repeating a call that was running when the host was killed", async (test) => {
  const place = newPlace(test)
  const log = place.path("log")
  place.write(".mcp.json", JSON.stringify({ mcpServers: {} })) // the folder is not trusted
  place.config({ tools: { allow: ["mcp__*"] }, mcpServers: { odd: odd("hang-call", {}, log) } })
  const model = place.script([
    [call("mcp__odd__work", { value: "pay" })],
    [{ expect: { toolResult: "unknown" } }, call("mcp__odd__work", { value: "pay again" })],
    [{ text: "I will not repeat it." }],
  ])
  const running = place.start(["run", "go", "--model", model])
  await eventually("the call", () => (existsSync(log) && readFileSync(log, "utf8").includes("call 1")) || undefined)
  running.signal("SIGKILL")
  await running.ended
  const { code, stdout, stderr } = await place.run("run", "--continue")
  expect({ code, stdout }).toEqual({ code: 3, stdout: "I will not repeat it.\n" })
  expect(stderr.match(/\.mcp\.json not read/g)).toHaveLength(1)
  const stored = await place.log(await place.newest())
  expectValid(stored)
  expectIdle(stored)
  expect(eventsOf(stored, "tool.unsettled")).toHaveLength(1)
  expect(eventsOf(stored, "approval.requested")).toMatchObject([{ causes: ["unsettled"] }])
  expect(readFileSync(log, "utf8").match(/^call /gm)).toHaveLength(1)
})

describe.concurrent("what a server returns", () => {
  it("is bounded", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { allow: ["mcp__*"] }, mcpServers: { odd: odd("huge") } })
    const model = place.script([[call("mcp__odd__work", {})], [{ text: "Done." }]])
    await place.run("run", "go", "--model", model)
    const [result = ""] = await results(place)
    expect(result.length).toBeLessThan(300_000)
    expect(result).toContain("left out")
  })
})

it("voids an approval when the server has changed the description of the tool", async (test) => {
  const place = newPlace(test)
  place.config({ mcpServers: { odd: odd("changing") } })
  const both = [call("mcp__odd__work", { value: "1" }), call("mcp__odd__work", { value: "2" })]
  const model = place.script([both, [{ text: "Done." }]])
  const running = place.start(["run", "go", "--wait", "100", "--model", model])
  const ids = await eventually("both requests", async () => {
    const found = new Set((await place.run("approvals")).stdout.match(/apr_\w+/g))
    return found.size === 2 ? [...found] : undefined
  })
  await place.run("approve", ids[0] ?? "")
  await eventually("the first result", async () => {
    const stored = await place.log(await place.newest())
    return eventsOf(stored, "tool.ended").length === 1 || undefined
  })
  await place.run("approve", ids[1] ?? "")
  await running.ended
  const log = await place.log(await place.newest())
  expect(eventsOf(log, "tool.started")).toHaveLength(1)
  expect(eventsOf(log, "tool.refused")).toMatchObject([
    { reason: expect.stringContaining("the description of its tool, are not the ones that were approved") },
  ])
})

it("offers a search instead of more than 40 tools, and what it finds from then on", async (test) => {
  const place = newPlace(test)
  place.config({ tools: { allow: ["mcp__*"] }, mcpServers: { odd: odd("many-tools") } })
  const model = place.script([
    [call("tool_search", { query: "tool_7" })],
    [{ expect: { toolResult: "mcp__odd__tool_7: Counts to 7." } }, call("mcp__odd__tool_7", { value: "x" })],
    [{ text: "Done." }],
  ])
  expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect((await results(place)).at(-1)).toBe("done: worked: x")
})

it("has prompts as commands and resources as tools", async (test) => {
  const place = newPlace(test)
  const model = place.script([
    [{ text: "Ready." }],
    [call("mcp_resources", {})],
    [{ expect: { toolResult: "memo://1" } }, call("mcp_read", { server: "odd", uri: "memo://1" })],
    [{ text: "Greeted." }],
  ])
  place.config({ model, tools: { allow: ["mcp_*"] }, mcpServers: { odd: odd("well") } })
  const id = (await place.run("new")).stdout.trim()
  const attached = place.start(["attach", id], { input: openInput })
  attached.write("hello\n")
  await attached.until("the first answer", () => attached.stdout.includes("Ready.") || undefined)
  attached.write("/mcp__odd__greet the world\n")
  await attached.until("the request to read", () => attached.stdout.includes("Untrusted text") || undefined)
  attached.write("y\n")
  await attached.until("the second answer", () => attached.stdout.includes("Greeted.") || undefined)
  attached.endInput("")
  const log = await place.log(id)
  expect(eventsOf(log, "prompt.admitted").at(-1)).toMatchObject({
    text: expect.stringContaining(`The prompt 'greet' of the MCP server 'odd'`),
  })
  expect(eventsOf(log, "tool.ended").at(-1)).toMatchObject({ output: expect.stringContaining("Ignore all rules") })
})

describe.concurrent("a request of a server during a call", () => {
  async function answered(place: Place, mode: string, answer: readonly string[]) {
    // the script begins anew for a request without the conversation
    const model = place.script([[{ text: "Blue." }, call("mcp__odd__work", {})], [{ text: "Done." }]])
    place.config({ tools: { allow: ["mcp__*"] }, mcpServers: { odd: odd(mode) }, model })
    const running = place.start(["run", "go", "--wait", "100"])
    const id = await eventually("the request", async () => {
      return /apr_\w+/.exec((await place.run("approvals")).stdout)?.[0]
    })
    const shown = (await place.run("approvals")).stdout
    const { code, stderr } = await place.run("approve", id, ...answer)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    await running.ended
    return { shown, results: await results(place) }
  }

  it("for an answer of a person gets the answer of any client", async (test) => {
    const { shown, results: found } = await answered(newPlace(test), "elicit", ["--answer", "2"])
    expect(shown).toContain("MCP server 'odd' asks: Which size?")
    expect(found).toEqual(['done: got {"action":"accept","content":{"size":"M"}}'])
  })

  it("is declined by a person", async (test) => {
    const { results: found } = await answered(newPlace(test), "elicit", ["--deny"])
    expect(found[0]).toContain('"action":"decline"')
  })

  it("for an answer of the model shows the exact prompt and gets the answer", async (test) => {
    const place = newPlace(test)
    const { shown, results: found } = await answered(place, "sample", [])
    expect(shown).toContain("Name a colour.")
    expect(found[0]).toContain('"text":"Blue."')
    expect(eventsOf(await place.log(await place.newest()), "sampling.ended")).toHaveLength(1)
  })

  it("is refused where no person can be asked", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { allow: ["mcp__*"] }, mcpServers: { odd: odd("elicit") } })
    const model = place.script([[call("mcp__odd__work", {})], [{ text: "Done." }]])
    expect(await place.run("run", "go", "--yes", "--model", model)).toMatchObject({ stdout: "Done.\n" })
    expect((await results(place))[0]).toMatch(/"action":"(cancel|decline)"/)
  })
})

it("remembers a permission for a tool until its description changes", async (test) => {
  const place = newPlace(test)
  place.config({ mcpServers: { odd: odd("changing") } })
  const model = place.script([
    [call("mcp__odd__work", { value: "1" })],
    [call("mcp__odd__work", { value: "2" })],
    [{ text: "Done." }],
  ])
  const running = place.start(["run", "go", "--wait", "100", "--model", model])
  const first = await eventually("the request", async () => /apr_\w+/.exec((await place.run("approvals")).stdout)?.[0])
  expect(await place.run("approve", first, "--for", "session")).toMatchObject({ code: 0 })
  const second = await eventually("the second request", async () => {
    const [id] = /apr_\w+/.exec((await place.run("approvals")).stdout) ?? []
    return id === first ? undefined : id
  })
  expect(await place.run("approve", second)).toMatchObject({ code: 0 })
  expect(await running.ended).toMatchObject({ code: 0 })
  const log = await place.log(await place.newest())
  expect(eventsOf(log, "policy.granted")).toMatchObject([{ tool: "mcp__odd__work", revision: expect.any(String) }])
})

it("shows the state of servers in open sessions with mcp ls, and starts none for it", async (test) => {
  const place = newPlace(test)
  const log = place.path("started.log")
  place.config({
    mcpServers: { odd: odd("well", {}, log), broken: odd("exit-start"), off: { command: "x", disabled: true } },
  })
  const before = await place.run("mcp", "ls")
  expect(before.stdout).toMatch(/^odd +stdio +not started /m)
  expect(existsSync(log)).toBe(false)
  const waiting = call("bash", { command: "until [ -e go ]; do sleep 0.05; done" })
  const running = place.start(["run", "wait", "--yes", "--model", place.script([[waiting], [{ text: "Over." }]])])
  const listed = await eventually("a server that runs and one that failed", async () => {
    const { stdout } = await place.run("mcp", "ls")
    return ["running in", "failed in"].every((text) => stdout.includes(text)) ? stdout : undefined
  })
  expect(listed).toMatch(/^odd +stdio +running /m)
  expect(listed).toMatch(/^odd: running in 1 session · 1 tool · connected in \d+ ms$/m)
  expect(listed).toMatch(/^broken +stdio +failed /m)
  expect(listed).toMatch(
    /^broken: failed in 1 session: it ended with exit code 3; last line on stderr: no license found$/m,
  )
  const { hosts } = object((await place.run("mcp", "ls", "--json")).stdout)
  expect(hosts).toMatchObject([
    {
      role: "run",
      servers: [
        { name: "broken", state: "failed", pid: null, lastError: expect.stringContaining("no license found") },
        { name: "odd", state: "ready", tools: 1, pid: expect.any(Number), connectMs: expect.any(Number) },
      ],
    },
  ])
  place.write("go", "")
  expect(await running.ended).toMatchObject({ code: 0 })
  expect((await place.run("mcp", "ls")).stdout).toBe(before.stdout)
  expect(readFileSync(log, "utf8").match(/started/g)).toHaveLength(1)
})

describe.concurrent("a list of tools", () => {
  const everything = { command: node, args: [programOf("@modelcontextprotocol/server-everything"), "stdio"] }

  /** The only line: a tool of the server that sessions cannot use. */
  const unusedTool = /^turnhouse: MCP server 'everything': its tool "simulate-research-query" is not used: .*\n$/

  it("has those of servers, with and without extensions, and leaves no process", async (test) => {
    const place = newPlace(test)
    const word = randomUUID()
    place.config({ mcpServers: { everything: { ...everything, args: [...everything.args, word] } } })
    for (const options of [[], ["--no-extensions"]]) {
      const { code, stdout, stderr } = await place.run("tools_list", "--json", "--wait", "100", ...options)
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(unusedTool) })
      expect(objects(stdout)).toContainEqual(
        expect.objectContaining({
          name: "mcp__everything__echo",
          input_schema: expect.objectContaining({ type: "object" }),
        }),
      )
    }
    expect(runningWith(word)).toEqual([])
  })

  it("names a server that fails, and has the other tools", async (test) => {
    const place = newPlace(test)
    place.config({ mcpServers: { broken: odd("exit-start") } })
    const { code, stdout, stderr } = await place.run("tools_list", "--wait", "100")
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("MCP server 'broken' is not available: it ended with exit code 3"),
    })
    expect(stdout).toMatch(/^bash /m)
  })

  it("names a server that does not answer in time", async (test) => {
    const place = newPlace(test)
    place.config({ mcpServers: { slow: odd("hang-start") } })
    const { code, stderr } = await place.run("tools_list", "--wait", "1")
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("MCP server 'slow' is still starting;"),
    })
  })

  it("of the stdio child has them, too", async (test) => {
    const place = newPlace(test)
    place.config({ mcpServers: { everything } })
    const parent = await startRpc({ cwd: place.folder, env: place.env, model: "offline/demo" })
    test.onTestFinished(async () => void (await parent.close()))
    const names = async () => (await parent.listTools()).map(({ name }) => name)
    await test.expect.poll(names).toContain("mcp__everything__echo")
  })
})
