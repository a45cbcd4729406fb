// `turnhouse trust`: shows the files of a folder, trusts it, lists it and revokes it.
import { mkdirSync, rmSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { object, objects } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"

describe.concurrent("trust", () => {
  it("lists the files that will be read, and then reads them", async (test) => {
    const place = newPlace(test)
    place.write("turnhouse.json", '{ "system": "From the project." }')
    mkdirSync(place.path(".turnhouse/skills"), { recursive: true })
    place.write(".turnhouse/skills/one.md", "One.")
    const { code, stdout, stderr } = await place.run("trust")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toBe(
      [
        `${place.folder}: files that will be read`,
        "  turnhouse.json",
        "  .turnhouse/skills/one.md",
        `trusted: ${place.folder}`,
        "",
      ].join("\n"),
    )
    const [listed] = objects((await place.run("trust", "--list", "--json")).stdout)
    expect(listed).toMatchObject({ folder: place.folder, state: "trusted" })
    place.write("turnhouse.json", '{ "system": "Changed." }')
    expect((await place.run("trust", "--list")).stdout).toContain("changed")
    expect((await place.run("trust")).stdout).toContain("changed since it was trusted")
  })

  it("can be revoked, also for a deleted folder or one with an invalid configuration", async (test) => {
    const place = newPlace(test)
    place.config({ nonsense: true })
    place.write("turnhouse.json", "{}")
    expect(object((await place.run("trust", ".", "--json")).stdout)).toMatchObject({ state: "trusted" })
    rmSync(place.path("turnhouse.json"))
    expect(await place.run("trust", "--revoke", place.folder)).toMatchObject({ code: 0 })
    const again = await place.run("trust", "--revoke", place.folder)
    expect(again.code).toBe(1)
    expect(again.stderr).toContain("is not trusted")
    expect((await place.run("trust", "--list")).stdout).toBe("No trusted folders.\n")
  })

  it("does nothing in a folder without project files, and refuses a missing folder", async (test) => {
    const place = newPlace(test)
    expect((await place.run("trust")).stdout).toContain("there is nothing to trust")
    const nowhere = await place.run("trust", "nowhere")
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: "turnhouse: nowhere: it does not exist; name an existing folder.\n",
    })
    expect((await place.run("trust", ".", "--list")).code).toBe(2)
  })
})
