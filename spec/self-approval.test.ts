// An agent cannot approve its own calls: although every tool is allowed, it reaches neither the home of Turnhouse nor
// the keys and variables of its host.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import type { JsonValue } from "../src/contract/values.ts"
import { eventsOf } from "./e2e/printed.ts"
import { Place, program, sharedPlace } from "./e2e/turnhouse.ts"
import { swapLoop } from "../src/tools/fixtures/swap-loop.ts"
import { needPackage } from "./need-package.ts"

const open: Place[] = []
beforeAll(() => needPackage("bwrap", "bubblewrap"))
afterEach(async () => {
  for (const place of open.splice(0)) await place.close()
})

function newPlace(): Place {
  const place = new Place().open()
  open.push(place)
  return place
}

interface Attempt {
  readonly tool: string
  readonly input: JsonValue
}

interface Result {
  readonly outcome: string
  readonly output: string
}

const closed = "Tools may not access the home folder of Turnhouse."
const bash = (command: string): Attempt => ({ tool: "bash", input: { command } })

/** One call after the other in one turn, and the result of each. No call needs an approval. */
async function attempts(place: Place, calls: readonly Attempt[], env: Record<string, string> = {}): Promise<Result[]> {
  const model = place.script([...calls.map((call) => [{ call }]), [{ text: "Done." }]])
  const { stdout } = await place.start(["run", "go", "--json", "--yes", "--allow-tool", "*", "--model", model], { env })
    .ended
  const ended = eventsOf(stdout, "tool.ended")
  const refused = eventsOf(stdout, "tool.refused")
  return eventsOf(stdout, "tool.called").map(({ callId }) => {
    const end = ended.find((one) => one.callId === callId)
    const refusal = refused.find((one) => one.callId === callId)
    return { outcome: end?.outcome ?? "refused", output: end?.output ?? refusal?.reason ?? "" }
  })
}

async function attempt(place: Place, call: Attempt, env: Record<string, string> = {}): Promise<Result> {
  const [result] = await attempts(place, [call], env)
  if (result === undefined) throw new Error("the call was not made")
  return result
}

function contentOf(place: Place): readonly string[] {
  const kept = ["config.json", "secret.key", "trap.txt"]
  return kept.map((name) => `${name}: ${readFileSync(join(place.home, name), "base64")}`)
}

/** A home with something to find, seen before and after. */
async function preparePlace(): Promise<Place> {
  const place = newPlace()
  place.config({ tools: { confirm: ["bash"] } })
  await place.run("ls")
  await attempt(place, bash("true")) // from now on there is a key
  writeFileSync(join(place.home, "trap.txt"), "the cheese")
  return place
}

describe("a shell that keeps replacing a folder by a link to the home", () => {
  const steps = 10
  const callsPerStep = 20

  it("cannot make a file tool read or write the home", async () => {
    const place = await preparePlace()
    const before = contentOf(place)
    mkdirSync(place.path("real"))
    writeFileSync(place.path("real/trap.txt"), "a decoy")
    symlinkSync(place.home, place.path("link"))
    const loop = swapLoop("real", "link").map((word) => `'${word}'`)
    const begin = bash(`${loop.join(" ")} > started & until [ -s started ]; do sleep 0.01; done`)
    // All calls differ: the same call again and again would be refused.
    const callOf = (step: number, index: number): Attempt => {
      const number = step * callsPerStep + index
      if (index % 4 === 3) return { tool: "write", input: { path: `real/planted-${number}`, content: "planted" } }
      return { tool: "read", input: { path: "real/trap.txt", limit: number + 1 } }
    }
    const many = Array.from({ length: steps }, (_, step) =>
      Array.from({ length: callsPerStep }, (__, index) => ({ call: callOf(step, index) })),
    )
    const model = place.script([[{ call: begin }], ...many, [{ text: "Done." }]])
    const { code, stdout } = await place.start(["run", "go", "--json", "--yes", "--allow-tool", "*", "--model", model])
      .ended
    expect(code).toBe(0)
    expect(eventsOf(stdout, "tool.ended")).toHaveLength(1 + steps * callsPerStep)
    expect(stdout.includes("the cheese")).toBe(false)
    expect(contentOf(place)).toEqual(before)
    expect(readdirSync(place.home).filter((name) => name.startsWith("planted"))).toEqual([])
  })
})

describe("file tools refuse the home folder", () => {
  const onFile = (path: string): readonly Attempt[] => [
    { tool: "read", input: { path } },
    { tool: "write", input: { path, content: "planted" } },
    { tool: "edit", input: { path, old_string: "cheese", new_string: "planted" } },
    { tool: "grep", input: { pattern: "cheese", path } },
  ]
  const onFolder = (path: string): readonly Attempt[] => [
    { tool: "ls", input: { path } },
    { tool: "find", input: { pattern: "*", path } },
    { tool: "grep", input: { pattern: "cheese", path } },
    { tool: "write", input: { path: `${path}/planted.txt`, content: "planted" } },
  ]

  /** The calls that came through; the home is as it was. */
  async function notClosed(place: Place, before: readonly Attempt[], calls: readonly Attempt[]) {
    const untouched = contentOf(place)
    const results = (await attempts(place, [...before, ...calls])).slice(before.length)
    expect(results).toHaveLength(calls.length)
    expect(contentOf(place)).toEqual(untouched)
    expect(readdirSync(place.home)).not.toContain("planted.txt")
    return results.filter(({ outcome, output }) => outcome !== "failed" || output !== closed)
  }

  it("named by its path", async () => {
    const place = await preparePlace()
    expect(await notClosed(place, [], [...onFile(join(place.home, "trap.txt")), ...onFolder(place.home)])).toEqual([])
  })

  it("named by a path with ..", async () => {
    const place = await preparePlace()
    expect(await notClosed(place, [], [...onFile("../home/trap.txt"), ...onFolder("../folder/../home")])).toEqual([])
  })

  it("reached through existing links", async () => {
    const place = await preparePlace()
    symlinkSync(place.home, place.path("link"))
    symlinkSync(join(place.home, "trap.txt"), place.path("note.txt"))
    expect(
      await notClosed(place, [], [...onFile("note.txt"), ...onFile("link/trap.txt"), ...onFolder("link")]),
    ).toEqual([])
  })

  it("reached through links made in the same turn, also to missing targets", async () => {
    const place = await preparePlace()
    const links = [
      bash(`ln -s ${place.home} made; ln -s ${place.home}/trap.txt made.txt; ln -s ${place.home}/planted.txt new.txt`),
    ]
    const onNew = { tool: "write", input: { path: "new.txt", content: "planted" } }
    expect(await notClosed(place, links, [...onFile("made.txt"), ...onFolder("made"), onNew])).toEqual([])
  })

  it("below a searched folder: the search skips it", async () => {
    const place = await preparePlace()
    place.write("mine.txt", "my own cheese")
    const [grep, find] = await attempts(place, [
      { tool: "grep", input: { pattern: "cheese", path: place.root, include: "*.txt" } },
      { tool: "find", input: { pattern: "*.txt", path: place.root } },
    ])
    expect(grep).toEqual({ outcome: "done", output: "mine.txt:1:my own cheese" })
    expect(find).toEqual({ outcome: "done", output: "mine.txt" })
  })
})

describe("a sandboxed shell with all permissions", () => {
  it("sees the home as an empty folder and cannot change it", async () => {
    const place = await preparePlace()
    const untouched = contentOf(place)
    const reading = await attempt(place, bash(`ls -A ${place.home}; cat ${place.home}/*; cat ${place.home}/secret.key`))
    expect(reading.outcome).toBe("failed")
    expect(reading.output).toMatch(/secret\.key: No such file or directory/)
    const ways = [
      `echo '{"tools":{}}' > ${place.home}/config.json`,
      `cp mine.txt ${place.home}/trap.txt`,
      `rm -rf ${place.home}`,
      `mv ${place.home} elsewhere`,
      `ln ${place.home}/trap.txt hard`,
      `umount ${place.home} && cat ${place.home}/trap.txt`,
    ]
    const results = await attempts(place, ways.map(bash))
    expect(results.map(({ outcome }) => outcome)).toEqual(ways.map(() => "failed"))
    expect(results.map(({ output }) => output).join("\n")).not.toContain("cheese")
    expect(contentOf(place)).toEqual(untouched)
  })

  it("cannot reach the home through another process", async () => {
    const place = await preparePlace()
    const { output } = await attempt(
      place,
      bash(`cat /proc/*/root${place.home}/trap.txt /proc/*/cwd/../home/trap.txt; true`),
    )
    expect(output).not.toContain("cheese")
    expect(output).toContain("No such file or directory")
  })

  it("cannot use the home as its working folder", async () => {
    const place = await preparePlace()
    const model = place.script([[{ call: bash("pwd") }], [{ text: "Done." }]])
    const { code, stderr } = await place.start(["run", "go", "--yes", "--model", model], { cwd: place.home }).ended
    expect(stderr).toContain("is inside a folder of Turnhouse, which tools cannot access")
    expect(code).toBe(3)
  })

  it("cannot reach the folder of session sockets, wherever it is", async () => {
    const place = await preparePlace()
    const dir = join(place.root, "sockets")
    place.config({ ipc: { dir } })
    const [shell, read] = await attempts(place, [bash(`mkdir -p ${dir}/x`), { tool: "ls", input: { path: dir } }])
    expect(shell).toMatchObject({ outcome: "failed" })
    expect(shell?.output).toContain("Read-only file system")
    expect(read).toEqual({ outcome: "failed", output: closed })
  })
})

describe("a turnhouse command started by the agent", () => {
  const place = sharedPlace()
  let waiting = ""
  beforeAll(async () => {
    const model = place.script([[{ call: bash("touch approved") }], [{ text: "Done." }]], {}, "waiting.json")
    const asking = place.start(["run", "go", "--json", "--wait", "10m", "--model", model])
    waiting = (await asking.event("approval.requested")).approvalId
    asking.signal("SIGKILL")
    await asking.ended
  })

  it("does not find the session that waits for approval", async () => {
    const [mine, named] = await attempts(place, [
      bash(`${program} ls --all --json`),
      bash(`TURNHOUSE_HOME=${place.home} ${program} ls --all --json`),
    ])
    expect(mine).toEqual({ outcome: "done", output: "[]" })
    expect(named).toMatchObject({ outcome: "failed" })
    expect(named?.output).toMatch(/The home folder .* cannot be used: the file system is read-only/)
  })

  it("cannot approve the call; a user can", async () => {
    const results = await attempts(place, [
      bash(`${program} approve ${waiting}`),
      bash(`TURNHOUSE_HOME=${place.home} ${program} approve ${waiting}`),
      bash(`cp -r ${place.home} copy; TURNHOUSE_HOME=$PWD/copy ${program} approve ${waiting}`),
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "failed"])
    expect(results.map(({ output }) => output).join("\n")).not.toMatch(/^apr_\S+ approved$/m)
    const asked = await place.run("approvals", "--json")
    expect(asked.stdout).toContain(waiting)
    expect((await place.run("approve", waiting)).stdout).toContain(`${waiting} approved`)
  })
})

describe("the environment of tools", () => {
  const keys = {
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdefghij",
    OPENAI_API_KEY: "sk-proj-0123456789abcdefghij",
    GOOGLE_GENERATIVE_AI_API_KEY: "AIza0123456789abcdefghij",
    AWS_ACCESS_KEY_ID: "AKIA0123456789ABCDEF",
    AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI0123456789",
    AWS_SESSION_TOKEN: "FwoGZXIvYXdzE0123456789",
    AWS_BEARER_TOKEN_BEDROCK: "ABSKQmVkcm9jazEyMzQ1Njc4",
    TURNHOUSE_DATABASE_URL: "",
    TURNHOUSE_CLUSTER_SECRET: "cluster-0123456789abcdef-0123456789",
    HARMLESS: "yes",
  }
  const named = "cut -d= -f1 | sort"
  const shown = ({ output }: Result) =>
    output.split("\n").filter((name) => name in keys || name.startsWith("TURNHOUSE"))

  function withTool(place: Place, env: readonly string[] = []): void {
    const tool = { description: "d", input: {}, class: "unsafe", run: ["sh", "-c", `env | ${named}`] }
    place.config({ tools: { env, define: { look: tool } } })
  }

  it("contains no provider key and only the documented TURNHOUSE_ variables", async () => {
    const place = newPlace()
    withTool(place)
    const [shell, tool] = await attempts(place, [bash(`env | ${named}`), { tool: "look", input: {} }], keys)
    expect(shell && shown(shell)).toEqual(["HARMLESS", "TURNHOUSE_MARK"])
    expect(tool && shown(tool)).toEqual([
      "HARMLESS",
      "TURNHOUSE_CALL_ID",
      "TURNHOUSE_IDEMPOTENCY_KEY",
      "TURNHOUSE_MARK",
      "TURNHOUSE_ORG",
      "TURNHOUSE_SESSION",
      "TURNHOUSE_USER",
    ])
  })

  it("omits every variable that holds a secret, whatever its name, and keeps the others", async () => {
    const secret = {
      STRIPE_KEY: "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
      DATABASE_URL: "postgres://app:pw@db.example.com/app",
      REDIS_URL: "redis://:pw@cache:6379",
      GITHUB_PAT: "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
      HTTP_PROXY: "http://user:pw@proxy.example.com:3128",
      https_proxy: "user:pw@proxy:3128",
      MYSQL_PWD: "short",
      SENTRY_DSN: "https://0123456789abcdef@sentry.example.com/1",
      SLACK_WEBHOOK_URL: "https://hooks.example.com/services/T0001/B0002/aB3dE5gH7jK9mN1pQ3sT",
      NPM_AUTH: "dXNlcjpwYXNz",
      CI_JOB_JWT: "eyJhbGciOiJIUzI1NiJ9.e30.abc",
      STORAGE_CONNECTION: "AccountName=shop;AccountKey=Zm9vYmFyYmF6cXV4",
      SOMETHING: "f3Kq9ZtY7wLr2Pm5Xv8N",
      ENCRYPTION_PASSPHRASE: "correct horse",
    }
    const others = {
      NO_PROXY: "localhost,127.0.0.1,.example.com",
      http_proxy: "http://proxy.example.com:3128",
      FTP_PROXY: "proxy.example.com:3128",
      CI: "true",
      CI_COMMIT_SHA: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      GITHUB_REPOSITORY: "example/turnhouse-plugins",
      LANG: "en_US.UTF-8",
      CFLAGS: "-O2 -g -fstack-protector",
      SSH_KEY_FILE: "/etc/ssh/ssh_host_ed25519_key",
      KUBERNETES_PORT: "tcp://10.96.0.1:443",
    }
    const planted = { ...secret, ...others }
    const namesIn = ({ output }: Result) => output.split("\n").filter((name) => name in planted)
    const place = newPlace()
    const call = bash(`env | ${named}`)
    expect(namesIn(await attempt(place, call, planted)).toSorted()).toEqual(Object.keys(others).toSorted())
    place.config({ tools: { envOnly: true, env: ["STRIPE_KEY", "CI"] } })
    const few = await attempt(place, call, { ...planted, SSH_AUTH_SOCK: "/tmp/agent" })
    expect(namesIn(few).toSorted()).toEqual(["CI", "LANG", "STRIPE_KEY"])
    expect(few.output.split("\n")).not.toContain("SSH_AUTH_SOCK")
  })

  it("cannot be read from the host process", async () => {
    const { output } = await attempt(newPlace(), bash("cat /proc/*/environ | tr '\\0' '\\n' | cut -d= -f1"), keys)
    expect(output).toContain("HARMLESS")
    expect(shown({ outcome: "", output }).filter((name) => name.includes("KEY") || name === "TURNHOUSE_HOME")).toEqual(
      [],
    )
  })

  it("contains the variables that tools.env names", async () => {
    const place = newPlace()
    withTool(place, ["OPENAI_API_KEY", "TURNHOUSE_CLUSTER_SECRET"]) // the latter never
    const [shell, tool] = await attempts(
      place,
      [bash(`env | ${named}; printf %s "$OPENAI_API_KEY" | wc -c`), { tool: "look", input: {} }],
      keys,
    )
    expect(shell && shown(shell)).toEqual(["HARMLESS", "OPENAI_API_KEY", "TURNHOUSE_MARK"])
    expect(shell?.output.split("\n").at(-1)).toBe(String(keys.OPENAI_API_KEY.length))
    expect(tool && shown(tool)).toContain("OPENAI_API_KEY")
  })
})
