// The completion script in a real bash: sourced, registered and called as for the Tab key.
import { execFile } from "node:child_process"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { commands } from "../../src/cli/commands.ts"
import { program, sharedPlace } from "../e2e/turnhouse.ts"

const place = sharedPlace()
let script: string

beforeAll(async () => {
  script = place.write("completion.bash", (await place.run("completion", "bash")).stdout)
})

/** What bash would offer for these words, the last of which is being typed. */
async function offered(...args: readonly string[]): Promise<readonly string[]> {
  const ask = [
    "set -u",
    `source ${script}`,
    "complete -p turnhouse >/dev/null",
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _turnhouse',
    'printf "%s\\n" "${COMPREPLY[@]-}"',
  ].join("\n")
  const env = { ...place.env, PATH: `${dirname(program)}:${place.env["PATH"]}` }
  const { stdout } = await promisify(execFile)("bash", ["-c", ask, "bash", "turnhouse", ...args], { env })
  return stdout.split("\n").filter((line) => line !== "")
}

describe("in bash", () => {
  it("completes `turnhouse ru`", async () => {
    expect(await offered("ru")).toEqual(["run"])
  })

  it("offers every command for an empty word", async () => {
    expect(await offered("")).toEqual([...commands.map(({ name }) => name), "help", "--help", "--version"])
  })

  it("offers the options of the command after a dash", async () => {
    const ofApprove = ["--deny", "--answer", "--note", "--for", "--pattern", "--json", "--help"]
    expect(await offered("approve", "--")).toEqual(ofApprove)
    expect(await offered("run", "--mo")).toEqual(["--model"])
  })

  it("leaves values of options to file names", async () => {
    expect(await offered("run", "--config", "")).toEqual([])
    expect(await offered("run", "-m", "")).toEqual([])
  })

  it("offers fixed words where only they are valid", async () => {
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish"])
    expect(await offered("help", "for")).toEqual(["fork"])
  })

  it("offers session ids", async () => {
    const { stdout } = await place.run("new")
    const id = stdout.trim()
    expect(await offered("log", "")).toEqual([id.slice(0, 13)])
    expect(await offered("log", "ffff")).toEqual([])
  })

  it("offers nothing for an unknown command", async () => {
    expect(await offered("nonsense", "")).toEqual([])
  })
})

it("prints scripts for zsh and fish with every command, and refuses another shell", async () => {
  for (const shell of ["zsh", "fish"]) {
    const { code, stdout } = await place.run("completion", shell)
    expect(code).toBe(0)
    for (const { name } of commands) expect(stdout).toContain(name)
  }
  const other = await place.run("completion", "tcsh")
  expect(other).toMatchObject({ code: 2, stderr: "turnhouse: name a shell: bash, zsh, fish\n" })
})
