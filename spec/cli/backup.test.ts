// `turnhouse backup`: the copy is complete and private, and hosts keep writing meanwhile.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

describe.concurrent("backup", () => {
  it("works as the log of another home", async (test) => {
    const place = newPlace(test)
    await place.run("run", "help", "--model", "offline/demo:0")
    const { code, stdout, stderr } = await place.run("backup", "copy.db")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    expect(stderr).toMatch(/^wrote \d+ bytes to copy\.db\n$/)
    expect(statSync(place.path("copy.db")).mode & 0o777).toBe(0o600)
    expect(readdirSync(place.folder)).toEqual(["copy.db"])
    const other = join(place.root, "other-home")
    mkdirSync(other)
    copyFileSync(place.path("copy.db"), join(other, "turnhouse.db"))
    const env = { TURNHOUSE_HOME: other }
    expect((await place.start(["verify"], { env }).ended).code).toBe(0)
    expect((await place.start(["ls"], { env }).ended).stdout).toContain("help")
  })

  it("has the documents with their sources beside it, which work in another home", async (test) => {
    const place = newPlace(test)
    await place.run("new")
    place.write("returns.md", "# Returns\n\nThirty days.\n")
    await place.run("knowledge", "add", "returns.md", "--every", "6h")
    const { code, stderr } = await place.run("backup", "copy.db")
    expect(code).toBe(0)
    expect(stderr).toMatch(/^wrote the documents, \d+ bytes, to \S+copy\.knowledge\.db$/m)
    expect(statSync(place.path("copy.knowledge.db")).mode & 0o777).toBe(0o600)
    const other = join(place.root, "other-home")
    mkdirSync(other)
    copyFileSync(place.path("copy.knowledge.db"), join(other, "knowledge.db"))
    const env = { TURNHOUSE_HOME: other }
    expect((await place.start(["knowledge", "search", "thirty days"], { env }).ended).stdout).toContain("returns.md")
    expect((await place.start(["knowledge", "sources"], { env }).ended).stdout).toContain("every 6 h")
    expect(await place.run("backup", "other.db")).toMatchObject({ code: 0 })
    place.write("third.knowledge.db", "precious")
    expect((await place.run("backup", "third.db")).stderr).toContain("third.knowledge.db already exists")
    expect(existsSync(place.path("third.db"))).toBe(false)
  })

  it("has the documents of a home without sessions", async (test) => {
    const place = newPlace(test)
    place.write("returns.md", "# Returns\n")
    await place.run("knowledge", "add", "returns.md")
    const { code, stderr } = await place.run("backup", "copy.db")
    expect(code).toBe(0)
    expect(stderr).toMatch(/^There are no sessions yet: copy\.db is not written\.\nwrote the documents, \d+ bytes, to /)
    expect(readdirSync(place.folder).toSorted()).toEqual(["copy.knowledge.db", "returns.md"])
  })

  it("is consistent while a session is written", async (test) => {
    const place = newPlace(test)
    const text = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ")
    const calls = Array.from({ length: 30 }, (_, at) => [{ call: { tool: "find", input: { pattern: `*.${at}` } } }])
    const model = place.script([...calls, [{ text }]], { delayMs: 5 })
    const running = place.start(["run", "go", "--json", "--model", model])
    await running.event("step.started")
    expect((await place.run("backup", "copy.db")).code).toBe(0)
    const other = join(place.root, "other-home")
    mkdirSync(other)
    copyFileSync(place.path("copy.db"), join(other, "turnhouse.db"))
    expect((await place.start(["verify"], { env: { TURNHOUSE_HOME: other } }).ended).code).toBe(0)
    expect((await running.ended).code).toBe(0)
  })

  it("never overwrites a file, and leaves nothing behind when it fails", async (test) => {
    const place = newPlace(test)
    await place.run("new")
    place.write("copy.db", "precious")
    const taken = await place.run("backup", "copy.db")
    expect(taken).toMatchObject({ code: 1, stderr: "turnhouse: copy.db already exists. Name another file.\n" })
    expect(place.read("copy.db")).toBe("precious")
    const nowhere = await place.run("backup", "nowhere/copy.db")
    expect(nowhere).toMatchObject({ code: 1, stderr: "turnhouse: nowhere does not exist. Create it first.\n" })
    expect(readdirSync(place.folder)).toEqual(["copy.db"])
  })

  it("reports that nothing is stored yet", async (test) => {
    const place = newPlace(test)
    const empty = await place.run("backup", "copy.db")
    expect(empty.code).toBe(1)
    expect(empty.stderr).toContain("nothing is stored yet")
    expect(existsSync(place.path("copy.db"))).toBe(false)
  })
})
