import { describe, expect, it } from "vitest"
import { workbenches } from "../fixtures/workbench.ts"

const shout = ["sh", "-c", 'tr a-z A-Z < "$0" > "$0.new" && mv "$0.new" "$0"']

describe("a formatter", () => {
  const openBench = workbenches({ format: { "*.up": shout, "*.bad": ["sh", "-c", "echo no parser; exit 3"] } })

  it("runs on a changed file, and the diff shows its result", async () => {
    const bench = openBench()
    bench.put("a.up", "ONE\nTWO\n")
    const edited = await bench.call("edit", { path: "a.up", old_string: "TWO", new_string: "three" })
    expect(edited.output).toBe(
      "Changed a.up.\n[The formatter changed the file; the diff shows the result.]\n@@ line 2 @@\n ONE\n-TWO\n+THREE",
    )
    expect(bench.text("a.up")).toBe("ONE\nTHREE\n")
    expect((await bench.call("write", { path: "a.up", content: "four\n" })).outcome).toBe("done")
    const input = "*** Begin Patch\n*** Update File: a.up\n@@\n-FOUR\n+five\n*** End Patch"
    expect((await bench.call("apply_patch", { input })).outcome).toBe("done")
    expect(bench.text("a.up")).toBe("FIVE\n")
  })

  it("that fails keeps the change and says why", async () => {
    const bench = openBench()
    const { outcome, output } = await bench.call("write", { path: "a.bad", content: "x" })
    expect({ outcome, output }).toEqual({
      outcome: "done",
      output: "Created a.bad (1 bytes).\n[The formatter sh failed (3): no parser]",
    })
    expect(bench.text("a.bad")).toBe("x")
  })

  it("that does not exist is reported", async () => {
    const bench = workbenchWith()
    expect((await bench.call("write", { path: "a.txt", content: "x" })).output).toMatch(/\[The formatter .*no-such/)
  })
  const workbenchWith = workbenches({ format: { "*": ["no-such-formatter"] } })

  it("is not run for other files", async () => {
    const bench = openBench()
    expect((await bench.call("write", { path: "a.txt", content: "x" })).output).toBe("Created a.txt (1 bytes).")
  })
})
