// `turnhouse agent NAME --parent`: the child is found under its name, and no other session gets that name.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

describe("an agent with a parent and a name", () => {
  it("has its socket under that name too, and no other agent can take the name", async (test) => {
    const place = newPlace(test)
    const parent = place.start(["agent"])
    const { text: parentId } = await parent.lineNumber(1)
    const child = place.start(["agent", "kid", "--parent", parentId])
    const { text: childId } = await child.lineNumber(1)
    await child.lineNumber(2)
    const link = join(place.home, "sessions", "kid.sock")
    await expect.poll(() => existsSync(link)).toBe(true)
    const { code, stderr } = await place.start(["agent", "kid", "--parent", parentId]).ended
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`session ${childId} is open in another process`),
    })
    expect(existsSync(link)).toBe(true)
    child.signal("SIGTERM")
    await child.ended
    expect(existsSync(link)).toBe(false)
  })
})
