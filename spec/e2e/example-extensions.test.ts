// The plugins in examples/extensions, run from there by the real program.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/part.ts"
import { needPackage } from "../need-package.ts"
import { eventsOf, object, type Json } from "./printed.ts"
import type { Ended } from "./running.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const bash = (command: string) => ({ call: { tool: "bash", input: { command } } }) as const
const expectToolResult = (toolResult: string) => ({ expect: { toolResult } }) as const

function use(place: Place, example: string, more: Json = {}, extensions: Json = {}): void {
  const path = fileURLToPath(new URL(`../../examples/extensions/${example}`, import.meta.url))
  place.config({ extensions: { paths: [path], ...extensions }, ...more })
}

/** With a `node` on the PATH that runs nothing but Turnhouse: extensions have the one that does. */
function run(place: Place, steps: readonly Step[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  mkdirSync(place.path("old"), { recursive: true })
  const ours = `case "$*" in *turnhouse.mjs*) exec '${process.execPath}' "$@" ;; esac`
  place.write("old/node", `#!/bin/sh\n${ours}\necho too old >&2\nexit 1\n`)
  chmodSync(place.path("old/node"), 0o755)
  const PATH = `${place.path("old")}:${place.env["PATH"]}`
  const args = ["run", "go", "--yes", "--model", place.script(steps)]
  return place.start(args, { env: { PATH, ...env } }).ended
}

describe.concurrent("the policy guard", () => {
  const failClosed = { failClosed: ["policy-guard"] }

  it("blocks what fits a rule, lets the rest through, and its canary is content", async (test) => {
    const place = newPlace(test)
    const canary = { tool: "bash", input: { command: "rm -fr ~" } }
    use(place, "policy-guard", { guards: { "policy-guard": { canary } } }, failClosed)
    mkdirSync(place.path("victim"))
    const steps = [
      [bash(`rm -rf ${place.path("victim")}`)],
      [expectToolResult("not allowed here: it deletes files outside of the project"), bash("echo harmless")],
      [expectToolResult("harmless"), { text: "Done." }],
    ]
    const { code, stdout, stderr } = await run(place, steps)
    expect({ code, stdout }).toEqual({ code: 3, stdout: "Done.\n" })
    expect(stderr).not.toContain("canary")
    expect(existsSync(place.path("victim"))).toBe(true)
    const log = readFileSync(join(place.home, "extensions", "policy-guard.log"), "utf8")
    expect(log).toContain("4 rules") // console.log is not on the wire
  })

  it("takes rules from its settings, and blocks everything if they cannot be read", async (test) => {
    const place = newPlace(test)
    use(place, "policy-guard", {}, failClosed)
    const rules = JSON.stringify([{ pattern: "^date", verdict: "block", reason: "time is short" }])
    const blocked = await run(
      place,
      [[bash("date")], [expectToolResult("time is short"), { text: "Well." }]],
      variable(rules),
    )
    expect(blocked).toMatchObject({ code: 3, stdout: "Well.\n" })
    const steps = [[bash("echo hello")], [expectToolResult("setting 'rules' must be a list"), { text: "Oh." }]]
    expect(await run(place, steps, variable("{}"))).toMatchObject({ code: 3, stdout: "Oh.\n" })
  })

  function variable(rules: string): Record<string, string> {
    return { SYNAPS_EXTENSION_POLICY_GUARD_RULES: rules }
  }
})

describe.concurrent("the redactor", () => {
  it("takes addresses and keys out of what a tool says, also of what was cut", async (test) => {
    const place = newPlace(test)
    use(place, "redactor")
    const key = `sk-${"x1".repeat(12)}`
    place.write("a.txt", `ask eve@example.org, key ${key}\n`)
    place.write("long.txt", `${"word ".repeat(6552)}${key} end\n`)
    const steps = [
      [bash("cat a.txt")],
      [expectToolResult("ask [e-mail address removed], key [key removed]"), bash("cat long.txt")],
      [expectToolResult("word …[truncated"), { text: "Read." }],
    ]
    expect(await run(place, steps)).toMatchObject({ code: 0, stdout: "Read.\n" })
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "tool.ended")).toHaveLength(2)
    expect(log).not.toMatch(/eve@example|sk-x1/)
  })
})

describe.concurrent("the notebook", () => {
  it("passes its check, and shows its commands", async (test) => {
    const place = newPlace(test)
    const path = fileURLToPath(new URL("../../examples/extensions/notebook", import.meta.url))
    const { code, stdout } = await place.run("ext", "check", path)
    expect(code).toBe(0)
    expect(stdout).toContain("command: /notebook:notes [WORD]: calls the extension")
    expect(stdout).toContain("it called config.get, memory.query of the host")
  })

  it("begins a session with the notes that were kept before", async (test) => {
    const place = newPlace(test)
    use(place, "notebook")
    mkdirSync(join(place.home, "memory"), { recursive: true })
    const note = { namespace: "notebook", timestamp_ms: 0, content: "buy milk", tags: [], meta: null }
    writeFileSync(join(place.home, "memory", "notebook.jsonl"), `${JSON.stringify(note)}\n`)
    expect(await run(place, [[{ text: "Hello." }]], { SYNAPS_EXTENSIONS_TRACE: "1" })).toMatchObject({ code: 0 })
    const log = readFileSync(join(place.home, "extensions", "notebook.log"), "utf8")
    expect(log).toContain('"hook":"on_session_start","extension":"notebook","action":"inject"')
    expect(log).not.toContain("milk")
  })
})

describe.concurrent("the session journal", () => {
  beforeAll(() => needPackage("python3", "python3"))

  it("has a line for everything that happened", async (test) => {
    const place = newPlace(test)
    use(place, "session-journal")
    const steps = [[bash("echo Grüße")], [{ text: "Said." }]]
    expect(await run(place, steps)).toMatchObject({ code: 0, stdout: "Said.\n" })
    const journal = readFileSync(join(place.root, "user", "session-journal.jsonl"), "utf8")
    const entries = journal.trimEnd().split("\n").map(object)
    expect(entries.map(({ what }) => what)).toEqual([
      "on_session_start",
      "before_message",
      "on_message_complete",
      "before_tool_call",
      "after_tool_call",
      "on_message_complete",
      "on_session_end",
    ])
    expect(entries[4]).toMatchObject({ tool_name: "bash", tool_output: expect.stringContaining("Grüße") })
  })
})
