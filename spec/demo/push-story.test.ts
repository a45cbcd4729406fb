// The first story with the real program: a run in a pipe, and an interrupt.
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { folderOf, leftBehind, expectVerified, startStory } from "./place.ts"

describe.concurrent("turnhouse demo", () => {
  it("kills a host, has the push approved, verifies every claim and leaves nothing behind", async (test) => {
    const place = newPlace(test)
    const ended = await startStory(place).ended
    expectVerified(ended, 13)
    expect(ended.stdout).toMatch(/\$ kill -9 \d+\n/)
    expect(await leftBehind(place, ended)).toEqual([])
  })

  it("ends its processes and removes its folder on Ctrl-C", async (test) => {
    const place = newPlace(test)
    const running = startStory(place)
    await running.prints("kill -9")
    running.signal("SIGINT")
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(ended.stderr).toBe("turnhouse: interrupted. The story's processes are ended and its folder is removed.\n")
    expect(await leftBehind(place, ended)).toEqual([])
  })

  it("waits for Enter at a terminal, and pushes nothing when the push is denied", async (test) => {
    const place = newPlace(test)
    const running = place.onTerminal(`${place.program} demo`, { env: { TMPDIR: place.root, TERM: "xterm" } })
    for (const step of [1, 2, 3]) {
      await running.prints(`${step} of 4`)
      await running.until("a pause", () => running.stdout.split("Enter continues").length > step || undefined)
      running.write("\r")
    }
    await running.prints("Enter approves, n denies")
    running.write("n\r")
    const ended = await running.ended
    expect(ended.code).toBe(3)
    expect(ended.stdout).toContain("the call was denied, so the story ends here. Nothing was done.")
    expect(await leftBehind(place, ended)).toEqual([])
  })

  it("closes a viewer of its session, so that nothing uses the removed home", async (test) => {
    const place = newPlace(test)
    const running = startStory(place)
    const id = await running.until("the id", () => /attach (\S+)/.exec(running.stdout)?.[1])
    const home = `${folderOf(place, running)}/home`
    const viewer = place.start(["attach", id, "--plain", "--watch"], { env: { TURNHOUSE_HOME: home } })
    await viewer.says("watching")
    running.signal("SIGTERM")
    const ended = await running.ended
    await viewer.ended
    expect(ended.code).toBe(143)
    expect(await leftBehind(place, ended)).toEqual([])
  })

  it("refuses an unknown story", async (test) => {
    const { code, stderr } = await newPlace(test).run("demo", "tea")
    expect(code).toBe(2)
    expect(stderr).toBe("turnhouse: 'tea' is not a story. Use team or shop, or no name for the first story.\n")
  })

  it("names git when it is missing", async (test) => {
    const place = newPlace(test)
    const ended = await place.start(["demo"], { env: { TMPDIR: place.root, PATH: place.folder } }).ended
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain("git was not found on the PATH. The story needs it: install it, then try again.")
    expect(await leftBehind(place, ended)).toEqual([])
  })
})
