// Plan mode, attacked through the real program: every tool is allowed and every request approved, and still no file in the
// folder changes, whatever the model calls.
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it, type TestContext } from "vitest"
import { canonicalToolName } from "../../src/contract/rules/core-tools.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { installScribe } from "./scribe.ts"

interface Attempt {
  readonly tool: string
  readonly input: JsonValue
}

const write = (tool: string): Attempt => ({ tool, input: { path: "new.txt", content: "written" } })
const edit = (tool: string): Attempt => ({ tool, input: { path: "kept.txt", old_string: "kept", new_string: "lost" } })
const bash = (tool: string, command = "echo written > new.txt"): Attempt => ({ tool, input: { command } })

const attempts: readonly Attempt[] = [
  ...["bash", "Bash", "execute_command"].map((tool) => bash(tool)),
  bash("bash", "true"),
  bash("bash", "ls"),
  ...["write", "Write", "write_file"].map(write),
  ...["edit", "Edit", "edit_file"].map(edit),
  { tool: "subagent", input: { task: "write new.txt", agent: "helper" } },
  { tool: "subagent_start", input: { task: "write new.txt" } },
  { tool: "subagent_status", input: {} },
  { tool: "subagent_steer", input: { id: "x", message: "write new.txt" } },
  { tool: "subagent_collect", input: { id: "x" } },
  { tool: "looker", input: {} },
  { tool: "keyed", input: {} },
  { tool: "scribe_search", input: { query: "x" } },
  { tool: "scribe_scribble", input: {} },
  { tool: "submit_interaction", input: {} },
  { tool: "nowhere", input: {} },
]

const looks: readonly Attempt[] = [
  { tool: "read", input: { path: "kept.txt" } },
  { tool: "ls", input: { path: "." } },
  { tool: "grep", input: { pattern: "kept" } },
  { tool: "find", input: { pattern: "*.txt" } },
]

/** Arguments that would be orders to the program behind the tool, if it took them for its own. */
const smuggled: readonly Attempt[] = [
  { tool: "grep", input: { pattern: "--pre=./scribe.sh", path: "." } },
  { tool: "grep", input: { pattern: "kept", path: "--pre=./scribe.sh" } },
  { tool: "grep", input: { pattern: "kept", include: "--pre=./scribe.sh" } },
  { tool: "find", input: { pattern: "--pre=./scribe.sh" } },
  { tool: "find", input: { pattern: "*", path: "--search-zip" } },
  { tool: "read", input: { path: "| ./scribe.sh" } },
  { tool: "ls", input: { path: "$(./scribe.sh)" } },
]

function prepared(test: TestContext): Place {
  const place = newPlace(test)
  const scribe = place.write("scribe.sh", "#!/bin/sh\necho written > new.txt\n")
  place.write("kept.txt", "kept\n")
  const tool = { description: "Looks.", input: { properties: {} }, run: ["sh", scribe] }
  const define = { looker: { ...tool, class: "read" }, keyed: { ...tool, class: "keyed" } }
  place.config({ tools: { allow: ["*"], define } })
  return place
}

function contentOf(place: Place): readonly string[] {
  const files = readdirSync(place.folder, { recursive: true, withFileTypes: true })
  return files.map(({ name, parentPath }) => `${name}: ${readFileSync(`${parentPath}/${name}`, "base64")}`).toSorted()
}

/** A turn of plan mode. Calls come several in an answer: a turn ends after six answers with refused calls only. */
async function planned(place: Place, calls: readonly Attempt[], ...args: readonly string[]) {
  const answers = Array.from({ length: Math.ceil(calls.length / 5) }, (_, at) => calls.slice(at * 5, at * 5 + 5))
  const model = place.script([...answers.map((answer) => answer.map((call) => ({ call }))), [{ text: "No." }]])
  const before = contentOf(place)
  const { stdout } = await place.run("run", "go", "--plan", "--json", "--yes", "--model", model, ...args)
  expect(eventsOf(stdout, "turn.ended")).toMatchObject([{ reason: "done" }])
  expect(contentOf(place)).toEqual(before)
  return stdout
}

describe.concurrent("in plan mode", () => {
  it("every tool that is not read-only is refused with the reason, and nothing is written", async (test) => {
    const place = prepared(test)
    installScribe(place, {})
    const out = await planned(place, attempts)
    expect(eventsOf(out, "tool.called")).toHaveLength(attempts.length)
    const reasons = attempts.map(
      ({ tool }) => `Plan mode allows no ${canonicalToolName(tool)}: nothing may be changed.`,
    )
    expect(
      eventsOf(out, "tool.refused")
        .map(({ reason }) => reason)
        .toSorted(),
    ).toEqual(reasons.toSorted())
    expect(eventsOf(out, "tool.started")).toEqual([])
    expect(eventsOf(out, "child.spawned")).toEqual([])
  })

  it("read-only tools work, and no argument makes them write", async (test) => {
    const out = await planned(prepared(test), [...looks, ...smuggled])
    const outcomes = eventsOf(out, "tool.ended").map(({ outcome }) => outcome)
    expect(outcomes.slice(0, looks.length)).toEqual(["done", "done", "done", "done"])
    expect(outcomes).toHaveLength(looks.length + smuggled.length)
  })

  it("an extension that changes the input of a tool cannot make it write", async (test) => {
    const place = prepared(test)
    installScribe(place, { command: "echo written > new.txt", path: "kept.txt" })
    const out = await planned(place, [{ tool: "read", input: { path: "kept.txt" } }])
    expect(eventsOf(out, "tool.modified")).toHaveLength(1)
  })

  it.for(["Full", "Core", "None", { Explicit: ["bash", "Write", "execute_command"] }])(
    "the tool mode %j opens nothing",
    async (mode, test) => {
      const place = newPlace(test)
      place.write("kept.txt", "kept\n")
      place.config({ tools: { allow: ["*"], mode } })
      const out = await planned(place, [bash("bash"), write("write"), write("Write")])
      expect(eventsOf(out, "tool.refused")).toHaveLength(3)
    },
  )

  it("a later turn works normally, in the conversation with the plan's summary", async (test) => {
    const place = prepared(test)
    const plan = `# Plan\n\n1. Write new.txt.\n2. See that it is there.\n${"More words. ".repeat(10)}`
    const model = place.script([[{ text: plan }]])
    await place.run("run", "go", "--plan", "--yes", "--model", model)
    const carryOut = place.script([[{ call: write("write") }], [{ text: "Done." }]])
    const { code, stdout } = await place.run("run", "-c", "carry it out", "--yes", "--model", carryOut)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
    expect(place.read("new.txt")).toBe("written")
    const [exited] = eventsOf(await place.log(await place.newest()), "plan.exited")
    expect(exited).toMatchObject({ summary: plan })
  })

  it("planning again continues the plan, and cannot be combined with leaving", async (test) => {
    const place = prepared(test)
    const model = place.script([[{ text: "First." }], [{ text: "Second." }]])
    await place.run("run", "go", "--plan", "--model", model)
    const { stdout } = await place.run("run", "-c", "go on", "--plan", "--json")
    const [entered] = eventsOf(stdout, "plan.entered")
    expect(stdout).toContain("Second.")
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "plan.entered").map(({ planId }) => planId)).toEqual([entered?.planId, entered?.planId])
    expect(eventsOf(log, "plan.exited")).toHaveLength(2)
    expect((await place.run("run", "go", "--plan", "--detach")).code).toBe(2)
    expect((await place.run("run", "-c", "--plan")).code).toBe(2)
  })
})
