import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { needPackage } from "../../spec/need-package.ts"
import { limits } from "../contract/limits.ts"
import type { JsonValue } from "../contract/values.ts"
import { isRunning, markedPids } from "../processes/fixtures/marked.ts"
import { openSandbox, type SandboxOptions } from "../processes/sandbox.ts"
import { definedTools, type DefinedTools } from "./defined-tool.ts"
import { workbenches, type Workbench } from "./fixtures/workbench.ts"
import { coreToolNames } from "../contract/rules/core-tools.ts"
import type { Tool, ToolContext } from "./tool.ts"

const openBench = workbenches()
const anything = { type: "object" }

type Definition = DefinedTools[string]

interface Change {
  readonly timeoutSeconds?: number
  readonly mode?: SandboxOptions["mode"]
}

async function define(bench: Workbench, tools: DefinedTools, { timeoutSeconds, mode = "off" }: Change = {}) {
  const sandbox = openSandbox({ mode, hidden: [bench.forbidden], warn: () => {} })
  const deps = { processes: bench.processes, sandbox, reservedNames: coreToolNames }
  return definedTools(tools, timeoutSeconds === undefined ? deps : { ...deps, timeoutSeconds })
}

async function shellTool(bench: Workbench, script: string, change: Change = {}): Promise<Tool> {
  const tool: Definition = { description: "d", input: anything, class: "unsafe", run: ["sh", "-c", script] }
  const [made] = await define(bench, { mine: tool }, change)
  if (made === undefined) throw new Error("no tool was made")
  return made
}

async function call(bench: Workbench, script: string, input: JsonValue = {}, more: Partial<ToolContext & Change> = {}) {
  const prepared = await (await shellTool(bench, script, more)).prepare(input, bench.context(more))
  return prepared.run()
}

describe("a defined tool", () => {
  it("gets its input as JSON on stdin and answers on stdout", async () => {
    const result = await call(openBench(), "cat; echo heard; echo noise >&2", { order: 17, né: ["x\n"] })
    expect(result).toMatchObject({ outcome: "done", output: '{"order":17,"né":["x\\n"]}\nheard' })
    expect(result.details).toMatchObject({ exitCode: 0, truncated: false })
  })

  it("may ignore its input, however long it is", async () => {
    expect(await call(openBench(), "echo done", { long: "x".repeat(1_000_000) })).toMatchObject({ output: "done" })
  })

  it("leaves no file of the turn behind when its program cannot be started", async () => {
    const bench = openBench()
    vi.stubEnv("TMPDIR", bench.forbidden)
    onTestFinished(() => void vi.unstubAllEnvs())
    const tool = await shellTool(bench, "true")
    await bench.processes.close()
    const files = async () => [{ name: "a.pdf", mediaType: "application/pdf", url: "https://shop.example/a.pdf" }]
    const before = readdirSync(bench.forbidden)
    await expect(tool.prepare({}, bench.context({ files }))).rejects.toThrow("starts no more processes")
    expect(readdirSync(bench.forbidden)).toEqual(before)
  })

  it("gets the files of the turn in a temporary file that is removed afterwards", async () => {
    const file = { name: "a.pdf", mediaType: "application/pdf", url: "https://shop.example/a.pdf" }
    const files = async () => [file]
    const script = 'stat -c %a "$TURNHOUSE_FILES"; cat "$TURNHOUSE_FILES"; echo; echo "$TURNHOUSE_FILES"'
    const { output } = await call(openBench(), script, {}, { files })
    const [mode, list = "", path = ""] = output.split("\n")
    expect(mode).toBe("600")
    expect(JSON.parse(list)).toEqual([file])
    expect(existsSync(path)).toBe(false)
    expect(await call(openBench(), "echo ${TURNHOUSE_FILES-none}", {}, { files: async () => [] })).toMatchObject({
      output: "none",
    })
    const abandoned = await (await shellTool(openBench(), "true")).prepare({}, openBench().context({ files }))
    abandoned.abandon()
  })

  it("can send a directive to the visitor's client in addition to its result", async () => {
    const visitor = { requestedSpec: () => undefined }
    const script = `echo '{"output": "Sent.", "directive": {"type": "send_file"}}'`
    const told = await call(openBench(), script, {}, { visitor })
    expect(told).toMatchObject({ output: "Sent.", details: { exitCode: 0, directive: { type: "send_file" } } })
  })

  it("fails with its stdout, its stderr and its exit code", async () => {
    expect(await call(openBench(), "echo half; echo 'no such order' >&2; exit 3")).toMatchObject({
      outcome: "failed",
      output: "half\nno such order\nexit code 3",
      details: { exitCode: 3 },
    })
    expect(await call(openBench(), "exit 1")).toMatchObject({ outcome: "failed", output: "(no output)\nexit code 1" })
  })

  it("fails when its program does not exist", async () => {
    const bench = openBench()
    const tool: Definition = { description: "d", input: anything, class: "read", run: ["no-such-program", "x"] }
    const [made] = await define(bench, { mine: tool })
    const result = await (await made?.prepare({}, bench.context()))?.run()
    expect(result?.outcome).toBe("failed")
    expect(result?.output).toMatch(/no-such-program.*not found\nexit code 127$/)
  })

  it("runs in the session's folder with the caller in its environment and no other variables of the host", async () => {
    const bench = openBench()
    const caller = { org: "local", user: "one" }
    const { output } = await call(bench, "pwd; env | grep ^TURNHOUSE_ | grep -v MARK= | sort", {}, { caller })
    expect(output.split("\n")).toEqual([
      bench.cwd,
      "TURNHOUSE_CALL_ID=cal_1",
      "TURNHOUSE_IDEMPOTENCY_KEY=key",
      "TURNHOUSE_ORG=local",
      "TURNHOUSE_SESSION=0190b6a0-0000-7000-8000-000000000000",
      "TURNHOUSE_USER=one",
    ])
    const verified = { ...caller, verifiedEmail: "one@example.com", verifiedPhone: "+49" }
    expect((await call(bench, "env", {}, { caller: verified })).output).toMatch(
      /TURNHOUSE_VERIFIED_EMAIL=one@example.com[^]*TURNHOUSE_VERIFIED_PHONE=\+49|TURNHOUSE_VERIFIED_PHONE=\+49[^]*TURNHOUSE_VERIFIED_EMAIL=one@example.com/,
    )
  })

  it("keeps the beginning and the end of long output, and less of stderr", async () => {
    const noise = "head -c 5000000 /dev/zero | tr '\\0' x"
    const done = await call(openBench(), `echo first; ${noise}; echo last`)
    expect(done.output).toMatch(/^first\n[^]*bytes left out[^]*last$/)
    expect(Buffer.byteLength(done.output)).toBeLessThanOrEqual(limits.toolOutputBytes)
    const failed = await call(openBench(), `(echo begin; ${noise}; echo end) >&2; exit 1`)
    expect(failed.output).toMatch(/^begin\n[^]*bytes left out[^]*end\nexit code 1$/)
    expect(Buffer.byteLength(failed.output)).toBeLessThan(20_000)
  })

  it("is killed with its children after its timeout, and its output is kept", async () => {
    const bench = openBench()
    const result = await call(bench, "echo begun; setsid sleep 300 & wait", {}, { timeoutSeconds: 0.5 })
    expect(result.output).toMatch(/^begun\nThe command did not end in 0.5 s and was killed/)
    expect(await markedPids(bench.mark)).toEqual([])
  })

  it("is killed with its children when the call is cancelled", async () => {
    const bench = openBench()
    const controller = new AbortController()
    const running = call(
      bench,
      "trap '' TERM; touch begun; sleep 300 & wait; sleep 300",
      {},
      { signal: controller.signal },
    )
    await expect.poll(() => existsSync(join(bench.cwd, "begun"))).toBe(true)
    controller.abort()
    expect(await running).toMatchObject({
      outcome: "failed",
      output: "(no output)\nThe command was cancelled and killed.",
    })
    expect(await markedPids(bench.mark)).toEqual([])
  })

  it("has a process id before the program runs, and an abandoned call has no effect", async () => {
    const bench = openBench()
    const prepared = await (await shellTool(bench, "touch done")).prepare({}, bench.context())
    const pid = prepared.process?.pid ?? 0
    expect(await isRunning(pid)).toBe(true)
    prepared.abandon()
    await expect.poll(() => isRunning(pid)).toBe(false)
    expect(existsSync(join(bench.cwd, "done"))).toBe(false)
  })

  it("does not start when the call is cancelled before it runs", async () => {
    const bench = openBench()
    const controller = new AbortController()
    const prepared = await (
      await shellTool(bench, "touch done")
    ).prepare({}, bench.context({ signal: controller.signal }))
    controller.abort()
    expect(await prepared.run()).toEqual({ outcome: "failed", output: "The call was cancelled." })
    await expect.poll(() => isRunning(prepared.process?.pid ?? 0)).toBe(false)
    expect(existsSync(join(bench.cwd, "done"))).toBe(false)
  })
})

describe("in the sandbox a defined tool", () => {
  beforeAll(() => needPackage("bwrap", "bubblewrap"))

  it("gets its input and cannot see hidden folders", async () => {
    const bench = openBench()
    writeFileSync(join(bench.forbidden, "secret.key"), "the key")
    const result = await call(bench, `cat; ls -A ${bench.forbidden}; exit 4`, { order: 17 }, { mode: "require" })
    expect(result).toMatchObject({ outcome: "failed", output: '{"order":17}\nexit code 4' })
  })

  it("does not run when the sandbox refuses", async () => {
    const bench = openBench()
    const result = await call(bench, "touch done", {}, { mode: "require", cwd: bench.forbidden })
    expect(result.output).toMatch(/^The working folder .* tools cannot access\.$/)
    expect(existsSync(join(bench.forbidden, "done"))).toBe(false)
  })
})

describe("the input of a defined tool", () => {
  async function problem(input: Definition["input"], given: JsonValue): Promise<string | undefined> {
    const tool: Definition = { description: "d", input, class: "read", run: ["true"] }
    const [made] = await define(openBench(), { lookup: tool })
    return made?.problem(given)
  }

  const order = {
    properties: { number: { type: "string", minLength: 4 } },
    required: ["number"],
    additionalProperties: false,
  }

  it.each<[JsonValue, string | undefined]>([
    [{ number: "1234" }, undefined],
    [{}, "'number' is missing"],
    [{ number: 1234 }, "'number' must be a string"],
    [{ number: "1" }, "'number' must have at least 4 characters"],
    [[], "the input must be an object"],
  ])("is checked against its schema: %j", async (given, wrong) => {
    const sentence = wrong === undefined ? undefined : `The input of lookup does not fit: ${wrong}.`
    expect(await problem(order, given)).toBe(sentence)
  })

  it("is refused for a field that a closed schema does not have", async () => {
    const sentence = "lookup has no field 'size'; its fields are number."
    expect(await problem(order, { number: "1234", size: 1 })).toBe(sentence)
  })

  it("may be described by draft 2020-12 or draft-07, with or without $schema", async () => {
    const pair = { p: [1, "x"] }
    const wrong = { p: ["x", 1] }
    const newer = { properties: { p: { prefixItems: [{ type: "integer" }, { type: "string" }] } } }
    const older = { properties: { p: { items: [{ type: "integer" }, { type: "string" }] } } }
    const named = (name: string, schema: object) => ({ $schema: name, ...schema })
    for (const schema of [
      newer,
      older,
      named("https://json-schema.org/draft/2020-12/schema", newer),
      named("http://json-schema.org/draft-07/schema#", older),
    ]) {
      expect(await problem(schema, pair)).toBeUndefined()
      expect(await problem(schema, wrong)).toContain("'p.0' must be a whole number")
    }
  })

  it("may have definitions, formats, unknown keywords, and the $id of another schema", async () => {
    const schema = {
      $id: "https://example.com/x",
      $defs: { n: { type: "number" } },
      properties: { a: { $ref: "#/$defs/n" }, b: { format: "order-number", example: "17" } },
    }
    const tool: Definition = { description: "d", input: schema, class: "read", run: ["true"] }
    const [one, two] = await define(openBench(), { one: tool, two: tool })
    expect(one?.problem({ a: 1, b: "anything" })).toBeUndefined()
    expect(two?.problem({ a: "1" })).toContain("'a' must be a number")
  })

  it("is reported with its first few faults when it has many", async () => {
    const schema = { properties: { list: { items: { type: "integer" } } } }
    const sentence = await problem(schema, { list: Array.from({ length: 10_000 }, () => "x") })
    expect(sentence?.length).toBeLessThan(400)
  })

  it("is offered to models as an object even if the schema has no type", async () => {
    const [made] = await define(openBench(), {
      mine: { description: "Looks.", input: {}, class: "keyed", run: ["true"] },
    })
    expect(made).toMatchObject({ name: "mine", description: "Looks.", class: "keyed", inputSchema: { type: "object" } })
  })
})

describe("an invalid definition is reported with its name:", () => {
  it.each<[string, string, Definition["input"], RegExp]>([
    [
      "a broken schema",
      "x",
      { properties: { a: { type: "strnig" } } },
      /^tools\.define\.x: its input is not a valid JSON Schema: .*type/,
    ],
    [
      "a broken pattern",
      "x",
      { properties: { a: { pattern: "(" } } },
      /^tools\.define\.x: its input is not a valid JSON Schema: /,
    ],
    ["a missing definition", "x", { properties: { a: { $ref: "#/$defs/no" } } }, /^tools\.define\.x: .*#\/\$defs\/no/],
    [
      "a schema elsewhere",
      "x",
      { properties: { a: { $ref: "https://example.com/y" } } },
      /^tools\.define\.x: .*example\.com/,
    ],
    ["an unknown draft", "x", { $schema: "http://json-schema.org/draft-04/schema#" }, /draft 2020-12 nor draft-07/],
    ["a schema that takes its time", "x", { $async: true }, /\$async/],
    ["an input that is no object", "x", { type: "string" }, /its input must be of the type object/],
    [
      "a built-in tool's name",
      "bash",
      {},
      /^tools\.define\.bash: a built-in tool is known by this name; take another\.$/,
    ],
    ["another agent's name for a built-in tool", "read_file", {}, /^tools\.define\.read_file: a built-in tool/],
    ["a name that no provider takes", "look up", {}, /^tools\.define\.look up: a tool's name has letters/],
  ])("%s", async (_, name, input, sentence) => {
    const defining = define(openBench(), { [name]: { description: "d", input, class: "read", run: ["true"] } })
    await expect(defining).rejects.toThrow(sentence)
    await expect(defining).rejects.toThrow(/^[^\n]*\.$/)
  })
})
