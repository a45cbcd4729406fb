// What a session has read is known to the next process that continues it.
import { expect, it } from "vitest"
import { eventsOf } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

it("a continued session may replace a file that it read before, unless the file has changed", async (test) => {
  const place = newPlace(test)
  place.config({ tools: { allow: ["write", "edit"] } })
  place.write("a.txt", "one\n")
  place.write("b.txt", "one\n")
  const change = [
    { call: { tool: "write", input: { path: "a.txt", content: "two\n" } } },
    { call: { tool: "edit", input: { path: "b.txt", old_string: "one", new_string: "two" } } },
  ]
  const look = ["a.txt", "b.txt"].map((path) => ({ call: { tool: "read", input: { path } } }))
  const model = place.script([look, [{ text: "Read." }], change, [{ text: "Changed." }], change, [{ text: "No." }]])
  expect(await place.run("run", "read", "--model", model)).toMatchObject({ code: 0 })
  expect(await place.run("run", "-c", "change")).toMatchObject({ code: 0 })
  expect([place.read("a.txt"), place.read("b.txt")]).toEqual(["two\n", "two\n"])
  place.write("a.txt", "by the user\n")
  place.write("b.txt", "one by the user\n")
  expect(await place.run("run", "-c", "change again")).toMatchObject({ code: 0 })
  expect([place.read("a.txt"), place.read("b.txt")]).toEqual(["by the user\n", "one by the user\n"])
  const failed = eventsOf(await place.log(await place.newest()), "tool.ended").slice(-2)
  for (const { output } of failed) expect(output).toContain("was changed by another program since it was read")
})
