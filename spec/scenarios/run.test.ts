import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

async function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [`${import.meta.dirname}/run.ts`, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const code = new Promise<number | null>((resolve) => child.once("close", resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}

describe.concurrent("the command", () => {
  it("prints its usage", async () => {
    const { code, stdout } = await run("--help")
    expect(code).toBe(0)
    expect(stdout).toContain("Usage: node spec/scenarios/run.ts FILE... [OPTIONS]")
  })

  it.for([
    [[], "no file given"],
    [["--dor", "ws", "x"], "Unknown option '--dor'"],
    [["--door", "wss", "x"], 'there is no door "wss"'],
    [["/nowhere.jsonc"], "/nowhere.jsonc cannot be read"],
  ] as const)("exits with 2 for invalid arguments: %j", async ([args, why]) => {
    const { code, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) })
  })

  it("exits with 2 and the position of an error in a file", async (test) => {
    const place = newPlace(test)
    const broken = await run(place.write("broken.jsonc", '{\n  "title": "x",\n  "steps": [}\n'))
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining("broken.jsonc, line 3: ") })
    const wrong = await run(place.write("wrong.jsonc", '{ "title": "x", "model": [], "steps": [{ "promt": "Hi" }] }'))
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('"steps" number 1 must have one of') })
  })

  it("prints each step and the result, and exits with 1 when one failed", async (test) => {
    const scenario = {
      title: "One that is wrong",
      cannot: { rpc: "It shall not." },
      model: [[{ text: "Hello." }]],
      steps: [{ prompt: "Hi" }, { text: "Good day." }, { end: "done" }],
    }
    const file = newPlace(test).write("wrong.jsonc", JSON.stringify(scenario))
    const { code, stdout } = await run(file, "--door", "ipc", "--door", "rpc")
    expect(code).toBe(1)
    expect(stdout).toContain('ipc   2/3 {"text":"Good day."}')
    expect(stdout).toContain('ipc   failed at step 2 of 3: {"text":"Good day."}')
    expect(stdout).toContain('received  the text "Hello."')
    expect(stdout).toContain("rpc   cannot be played here: It shall not.")
  })

  it("exits with 0 when all passed", async (test) => {
    const scenario = {
      title: "A good one",
      model: [[{ text: "Hello." }]],
      steps: [{ prompt: "Hi" }, { text: "Hello." }, { end: "done" }],
    }
    const file = newPlace(test).write("good.jsonc", JSON.stringify(scenario))
    expect(await run(file, "-q", "-d", "rpc")).toEqual({
      code: 0,
      stdout: `${file}: A good one\n  rpc   passed, 3 steps\n`,
      stderr: "",
    })
  })
})
