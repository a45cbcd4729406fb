// A key in the environment is not stored, not printed and not passed to tools.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

const secret = "sk-planted-9fQ2xV7bLm4KzT8wRc"

describe.concurrent("a secret of the environment", () => {
  it("is nowhere in the home after it was said, typed and printed", async (test) => {
    const place = newPlace(test)
    place.write("leak.txt", `key=${secret}\n`)
    const calls = [
      { call: { tool: "read", input: { path: "leak.txt" } } },
      { call: { tool: "bash", input: { command: `echo ${secret}; cat leak.txt | base64` } } },
    ]
    const model = place.script([[{ text: `I know ${secret}.` }, ...calls], [{ text: `It was ${secret}.` }]], {
      delayMs: 2,
    })
    const env = { SOME_API_KEY: secret }
    const args = ["run", `my key is ${secret}`, "--yes", "--json", "--model", model]
    const { code, stdout, stderr } = await place.start(args, { env }).ended
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain(secret)
    expect(stdout).toContain("‹redacted:SOME_API_KEY:")
    expect(filesOf(place.home).filter((file) => readFileSync(file).includes(secret))).toEqual([])
  })

  it("and what is Turnhouse's own are hidden from tools, the rest is not", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "bash", input: { command: "env" } } }], [{ text: "Seen." }]])
    const env = { SOME_API_KEY: secret, MY_TOKEN: "another-planted-value-1x9", HARMLESS: "visible" }
    const { stdout } = await place.start(["run", "go", "--yes", "--json", "--model", model], { env }).ended
    const output = eventsOf(stdout, "tool.ended")[0]?.output ?? ""
    expect(output).toContain("HARMLESS=visible")
    expect(output).not.toMatch(/SOME_API_KEY|MY_TOKEN|TURNHOUSE_HOME/)
  })
})

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name !== "cache")
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const stat = statSync(path)
      if (stat.isDirectory()) return filesOf(path)
      return stat.isFile() ? [path] : [] // a socket of the writer holds nothing
    })
}
