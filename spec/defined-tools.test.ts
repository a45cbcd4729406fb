// Tools from the configuration in the real program: a model calls them, their input is checked, the approval policy
// applies, and an invalid definition is reported before anything runs.
import { existsSync, readdirSync } from "node:fs"
import { describe, expect, it, type TestContext } from "vitest"
import type { JsonValue } from "../src/contract/values.ts"
import { eventsOf, type Json } from "./e2e/printed.ts"
import { newPlace, type Place } from "./e2e/turnhouse.ts"

const number = { properties: { number: { type: "string" } }, required: ["number"] }

function shop(test: TestContext, change: Json = {}): Place {
  const place = newPlace(test)
  const script = place.write(
    "lookup.sh",
    'read -r order; echo "found $order in $PWD for $TURNHOUSE_USER@$TURNHOUSE_ORG"',
  )
  const lookup = { description: "Looks up an order.", input: number, class: "read", run: ["sh", script] }
  const cancel = { ...lookup, description: "Cancels an order.", class: "unsafe", run: ["touch", "cancelled"] }
  place.config({ tools: { define: { lookup_order: { ...lookup, ...change }, cancel_order: cancel } } })
  return place
}

const call = (tool: string, input: JsonValue) => [{ call: { tool, input } }]

describe("a tool from the configuration", () => {
  it("runs when the model calls it, with the identity of the session owner in its environment", async (test) => {
    const place = shop(test)
    const model = place.script([call("lookup_order", { number: "17" }), [{ text: "Done." }]])
    const { code, stdout } = await place.run("run", "go", "--json", "--model", model)
    expect(eventsOf(stdout, "tool.ended")).toMatchObject([
      { outcome: "done", output: expect.stringMatching(/^found \{"number":"17"\} in .*folder for \S+@local$/) },
    ])
    expect(eventsOf(stdout, "tool.started")).toMatchObject([{ class: "read", process: { pid: expect.any(Number) } }])
    expect(code).toBe(0)
  })

  it("does not start when the input does not match its schema", async (test) => {
    const place = shop(test)
    const model = place.script([call("lookup_order", { order: 17 }), [{ text: "Done." }]])
    const { stdout } = await place.run("run", "go", "--json", "--model", model)
    expect(eventsOf(stdout, "tool.refused")).toMatchObject([
      { reason: "The input of lookup_order does not fit: 'number' is missing; it has no field 'order'." },
    ])
    expect(eventsOf(stdout, "tool.started")).toEqual([])
  })

  it("requires approval when it is not read-only", async (test) => {
    const place = shop(test)
    const model = place.script([call("cancel_order", { number: "17" }), [{ text: "Done." }]])
    expect((await place.run("run", "go", "--model", model)).code).toBe(3)
    expect(existsSync(place.path("cancelled"))).toBe(false)
    expect((await place.run("run", "go", "--yes", "--model", model)).code).toBe(0)
    expect(existsSync(place.path("cancelled"))).toBe(true)
  })

  it("that is invalid ends the command with one line before anything starts", async (test) => {
    const place = shop(test, { input: { properties: { number: { type: "strnig" } } } })
    const { code, stdout, stderr } = await place.run("run", "go", "--model", "offline/demo:0")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^turnhouse: tools\.define\.lookup_order: its input is not a valid JSON Schema: [^\n]+\n$/)
    expect(readdirSync(place.home)).not.toContain("turnhouse.db")
  })

  it("is refused when its name is already taken", async (test) => {
    const place = newPlace(test)
    const tool = { description: "d", input: {}, class: "read", run: ["true"] }
    place.config({ tools: { define: { Bash: tool } } })
    const { code, stderr } = await place.run("run", "go", "--model", "offline/demo:0")
    expect(code).toBe(2)
    expect(stderr).toBe("turnhouse: tools.define.Bash: a built-in tool is known by this name; take another.\n")
  })
})
