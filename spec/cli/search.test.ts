// `search` finds sessions by their texts; `ls` selects them.
import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

it("search finds prompts, answers and output of tools, follows the log, and forgets deleted sessions", async (test) => {
  const place = newPlace(test)
  const call = { call: { tool: "bash", input: { command: "echo zebra-output" } } }
  const model = place.script([[call], [{ text: "The quokka sleeps." }], [{ text: "A walrus." }]])
  await place.run("run", "look for animals", "--yes", "--model", model)
  const id = await place.newest()
  for (const words of [["animals"], ["quokka", "sle"], ["zebra-output"], ['"quokka']]) {
    const { code, stdout } = await place.run("search", ...words)
    expect(code).toBe(0)
    expect(stdout).toContain(id.slice(0, 13))
  }
  expect(await place.run("search", 'walrus" OR text:* NEAR(')).toMatchObject({ code: 1, stderr: "" })
  await place.run("run", "-c", "more")
  expect((await place.run("search", "walrus", "--json")).stdout).toContain('"A walrus."')
  expect((await place.run("search", "walrus", "--folder", "/nowhere")).code).toBe(1)
  expect(await place.run("search")).toMatchObject({ code: 2, stdout: "" })
  await place.run("rm", id, "--yes")
  expect((await place.run("search", "walrus")).stdout).toContain("Nothing found for 'walrus'")
})

it("ls selects by text, folder and number, with the newest last", async (test) => {
  const place = newPlace(test)
  const model = place.script([[{ text: "Hello." }]])
  await place.run("run", "first task", "--model", model)
  await place.run("run", "second task", "--model", model)
  const { stdout } = await place.run("ls")
  expect(stdout.indexOf("first task")).toBeLessThan(stdout.indexOf("second task"))
  expect(stdout).toMatch(/COST +MODEL +FOLDER +TITLE/)
  expect((await place.run("ls", "--limit", "1")).stdout).toMatch(/^… 1 older: --all or --limit N\n/)
  expect((await place.run("ls", "FIRST")).stdout).not.toContain("second task")
  expect((await place.run("ls", "--folder", ".")).stdout).toContain("second task")
  expect((await place.run("ls", "--folder", "/nowhere")).stdout).toBe("No session matches.\n")
  expect(await place.run("ls", "--limit", "some")).toMatchObject({ code: 2, stdout: "" })
})
