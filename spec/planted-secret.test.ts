// Drives two planted secrets through everything that stores or prints. Afterwards no known spelling and no long part of
// them is in the home or in the output of any command.
import { once } from "node:events"
import { readdirSync, writeFileSync } from "node:fs"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Step } from "../src/models/offline/part.ts"
import { eventsOf, type Json } from "./e2e/printed.ts"
import type { Running } from "./e2e/running.ts"
import { program } from "./e2e/turnhouse.ts"
import { needPackage } from "./need-package.ts"
import { apiKey, loginKey, Planted, planted } from "./planted-home.ts"
import type { Reply } from "./provider-server/script.ts"
import { startProviderServer } from "./provider-server/server.ts"

const open: Planted[] = []
beforeAll(() => needPackage("bwrap", "bubblewrap"))
afterEach(async () => {
  for (const { place } of open.splice(0)) await place.close()
})

function plant(config?: Json): Planted {
  const home = new Planted(config)
  open.push(home)
  return home
}

const bash = (command: string): Step => [{ call: { tool: "bash", input: { command } } }]
const done: Step = [{ text: "Done." }]

describe("text of users and models", () => {
  const spoken: readonly Step[] = [
    [
      { reasoning: `They gave me ${planted} and ${apiKey}.` },
      { text: `Your token is ${planted}, your key ${apiKey}.` },
      { call: { tool: "ls", input: {} } },
    ],
    [
      { chunks: ["It is ", ...planted.split(""), " and ", ...(apiKey.match(/.{1,3}/g) ?? []), "."] },
      { call: { tool: "ls", input: {} } },
    ],
    [
      {
        text: `In base64: ${Buffer.from(`user:${planted}`).toString("base64")}, in an address: ?k=${encodeURIComponent(planted)}`,
      },
      { call: { tool: "ls", input: {} } },
    ],
    done,
  ]

  it.each([["text"], ["JSON"]])("is redacted, printed as %s", async (kind) => {
    const host = plant()
    const model = host.place.script(spoken)
    const more = kind === "JSON" ? ["--json"] : []
    await host.start("run", `my token is ${planted}`, "--model", model, "--config", host.configFile, ...more).ended
    await host.start("run", "--continue", `and ${apiKey}`, "--config", host.configFile, ...more).ended
    expect(await host.leaksToReaders()).toEqual([])
    expect(await host.place.log(await host.place.newest())).toContain("redacted:PLANTED_TOKEN")
  })

  it("is redacted in a compaction summary", async () => {
    const host = plant()
    const model = host.place.script([done, done, done], { contextWindow: 3000, summary: `The token was ${planted}.` })
    const long = "word ".repeat(1500)
    await host.start("run", long, "--json", "--model", model, "--config", host.configFile).ended
    const last = host.start("run", "--continue", long, "--json", "--config", host.configFile)
    await last.ended
    expect(last.stdout).toContain("context.compacted")
    expect(await host.leaksToReaders()).toEqual([])
  })
})

describe("tool inputs", () => {
  it.each([["text"], ["JSON"]])("is redacted, printed as %s", async (kind) => {
    const host = plant()
    await host.run(
      [
        bash(`echo '${planted}' > kept.txt; echo ${apiKey}`),
        [{ call: { tool: "bash", inputText: `{"command": "echo ${planted}` } }],
        [{ call: { tool: "read", input: { path: `${planted}.txt` } } }],
        [{ call: { tool: "tell", input: { nested: [{ [apiKey]: planted }] } } }],
        [{ call: { tool: "write", input: { path: "deep.txt", content: `key = ${apiKey}\n` } } }],
        done,
      ],
      "--yes",
      ...(kind === "JSON" ? ["--json"] : []),
    )
    expect(host.place.read("kept.txt")).toBe(`${planted}\n`)
    expect(host.place.read("deep.txt")).toBe(`key = ${apiKey}\n`)
    expect(await host.leaksToReaders()).toEqual([])
  })

  it("are redacted while the call waits for approval, also when the host is killed", async () => {
    const host = plant()
    const asking = host.begin([bash(`echo '${planted}'`), done], "--json", "--wait", "10m")
    const { approvalId } = await asking.event("approval.requested")
    asking.signal("SIGKILL")
    expect(await host.leaksToReaders()).toEqual([])
    await host.start("approve", approvalId).ended
    await host.start("run", "--continue", "--json", "--config", host.configFile).ended
    expect(await host.leaks()).toEqual([])
  })

  it("are redacted in an unknown tool name", async () => {
    const host = plant()
    const calls = ["", "x".repeat(45), "x".repeat(60)].map((lead) => ({
      call: { tool: `${lead}${apiKey}`, input: {} },
    }))
    await host.run([calls, done], "--yes", "--json")
    expect(await host.leaks()).toEqual([])
  })
})

describe("tool output", () => {
  function encoded(): string {
    const base64 = (text: string) => Buffer.from(text).toString("base64")
    const forms = [base64(planted), base64(`a${planted}`), base64(`ab${planted}z`), encodeURIComponent(planted)]
    return [...forms, JSON.stringify({ planted }), new URLSearchParams({ planted }).toString(), ""].join("\n")
  }

  it.each([["text"], ["JSON"]])("is redacted, printed as %s", async (kind) => {
    const host = plant()
    host.place.write("encoded.txt", encoded())
    host.place.write("plain.txt", `a ${planted}\nb ${apiKey}\n`)
    await host.run(
      [
        bash('echo "$PLANTED_TOKEN"'),
        bash('echo "$PLANTED_TOKEN" >&2; exit 3'),
        bash("cat encoded.txt"),
        bash('printf %s "$PLANTED_TOKEN" | base64; printf "user:%s" "$PLANTED_TOKEN" | base64 -w0'),
        [{ call: { tool: "read", input: { path: "plain.txt" } } }],
        [{ call: { tool: "grep", input: { pattern: "a|b", path: "." } } }],
        [{ call: { tool: "edit", input: { path: "plain.txt", old_string: "a ", new_string: "c " } } }],
        [{ call: { tool: "tell", input: {} } }],
        [{ call: { tool: "fail", input: {} } }],
        done,
      ],
      "--yes",
      ...(kind === "JSON" ? ["--json"] : []),
    )
    expect(await host.leaksToReaders()).toEqual([])
    const stored = await host.place.log(await host.place.newest())
    expect(stored.match(/redacted:PLANTED_TOKEN/g)?.length).toBeGreaterThan(10)
  })

  it("is redacted where long output is truncated", async () => {
    const host = plant()
    const flood = (separator: string) => bash(`yes "$PLANTED_TOKEN${separator}" | head -n 30000 | tr -d '\\n'`)
    const lines = bash('yes "$PLANTED_TOKEN" | head -n 30000')
    await host.run([flood(""), flood("."), flood(".."), lines, done], "--yes", "--json")
    expect(await host.leaksToReaders()).toEqual([])
  })

  it("is redacted where long lines are truncated", async () => {
    const host = plant()
    const at = (column: number) => `${".".repeat(column - 10)}${planted}${".".repeat(3000)}`
    host.place.write("lines.txt", [200, 500, 2000].map((column) => `line ${column}\n${at(column)}\n`).join(""))
    const edit = { path: "lines.txt", old_string: "line 200", new_string: "line two hundred" }
    await host.run(
      [
        [{ call: { tool: "grep", input: { pattern: "\\.\\.", path: "." } } }],
        [{ call: { tool: "read", input: { path: "lines.txt" } } }],
        [{ call: { tool: "edit", input: edit } }],
        [{ call: { tool: "write", input: { path: "lines.txt", content: at(200) } } }],
        done,
      ],
      "--yes",
      "--json",
    )
    expect(host.started[0]?.running.stdout).toContain("more characters in this line")
    expect(host.started[0]?.running.stdout).toContain("omitted end of long line")
    expect(host.place.read("lines.txt")).toBe(at(200))
    expect(await host.leaks()).toEqual([])
  })

  it("is redacted while the tool runs, also when half of a secret arrives first", async () => {
    const host = plant()
    const slowly = `echo "$PLANTED_TOKEN"; sleep 0.3; printf %s "\${PLANTED_TOKEN%${planted.slice(-12)}}"; sleep 0.3; echo "${planted.slice(-12).slice(0, 6)}""${planted.slice(-6)}"; sleep 0.3`
    host.place.write("slowly.sh", slowly.replace('echo "', `printf '%s\\n' "`))
    await host.run([bash("sh slowly.sh"), done], "--yes", "--json")
    expect(host.started[0]?.running.stdout).toContain("tool.progressed")
    expect(await host.leaks()).toEqual([])
  })
})

describe("terminal output", () => {
  it("redacts the approval request, the newest line of the tool and the answer", async () => {
    const host = plant()
    const model = host.place.script([bash(`echo '${planted}'; sleep 0.5`), [{ text: `It said ${planted}.` }]])
    const line = `${program} run go --model ${model} --config ${host.configFile}`
    const running = host.place.onTerminal(line, { env: { PLANTED_TOKEN: planted, TERM: "xterm" } })
    host.started.push({ args: ["terminal"], running })
    await running.prints("tell the agent why")
    running.write("y")
    await running.prints("It said")
    await running.ended
    expect(await host.leaks()).toEqual([])
  })
})

describe("a key that setup stored", () => {
  it("is in auth.json and nowhere else, whatever the model and its tools say", async () => {
    const host = plant()
    const setup = host.place.start(["setup", "--provider", "groq", "--key-stdin", "--no-check"], { input: loginKey })
    host.started.push({ args: ["setup"], running: setup })
    expect((await setup.ended).code).toBe(0)
    host.place.write("key.txt", `the key is ${loginKey}\n`)
    const steps: readonly Step[] = [
      [{ text: `Your key is ${loginKey}.` }, { call: { tool: "read", input: { path: "key.txt" } } }],
      bash(`echo ${loginKey}; base64 key.txt`),
      [{ chunks: loginKey.match(/.{1,3}/g) ?? [] }],
    ]
    await host.run(steps, "--yes", "--json")
    await host.start("doctor").ended
    await host.start("login", "--list", "--json").ended
    expect(await host.leaksToReaders()).toEqual([])
    expect(await host.place.log(await host.place.newest())).toContain("redacted:login.groq")
  })
})

describe("provider responses", () => {
  const told = `bad key ${apiKey} for ${planted}`
  const error = { type: "invalid_request_error", code: apiKey, message: told }
  const soon = { "retry-after-ms": "1" }
  const refused: Reply = { status: 400, error, times: "always" }
  const command = { tool: "bash", input: { command: `echo '${planted}'` } }

  it.each<[string, readonly Reply[], says?: string]>([
    ["a refusal", [refused]],
    ["a wrong key", [{ status: 401, error, times: "always" }], "refused the key"],
    ["to be asked again", [{ status: 429, headers: soon, error }, { status: 503, headers: soon, error }, refused]],
    ["words and a break", [{ blocks: [{ thinking: told }, { text: told }], end: "overloaded" }, refused]],
    ["a key where its message is shortened", [{ status: 400, error: { message: `${"x ".repeat(115)}${planted}` } }]],
    ["words", [{ blocks: [{ text: told }, command] }, { blocks: [{ text: told }], times: "always" }]],
  ])("redacts %s", async (_, replies, says = "redacted:") => {
    const server = await startProviderServer({ replies })
    try {
      const providers = { mock: { type: "openai-compatible", baseURL: `${server.url}/v1`, apiKey } }
      const host = plant({ providers, model: "mock/any" })
      await host.start("run", "go", "--yes", "--config", host.configFile).ended
      await host.start("run", "--continue", "again", "--yes", "--json", "--config", host.configFile).ended
      expect(server.requests[0]?.headers["authorization"]).toBe(`Bearer ${apiKey}`)
      expect(host.started.map(({ running }) => running.stdout + running.stderr).join("")).toContain(says)
      expect(await host.leaksToReaders()).toEqual([])
    } finally {
      await server.close()
    }
  })
})

describe("data left by a host killed with -9", () => {
  async function killedAfter(host: Planted, running: Running, text: string): Promise<void> {
    await running.event("step.started")
    const id = await host.place.newest()
    await expect.poll(() => host.place.log(id), { timeout: 20_000, interval: 200 }).toContain(text)
    running.signal("SIGKILL")
    await running.ended
  }

  it("is redacted in mid-answer, without half of a secret", async () => {
    const host = plant()
    const running = host.begin([[{ text: `First ${planted}, then ${planted.slice(0, 20)}` }, { hang: true }]], "--json")
    await killedAfter(host, running, "redacted:PLANTED_TOKEN")
    expect(await host.leaksToReaders()).toEqual([])
    host.place.script([[{ text: ` and so on, ${planted}.` }], done])
    await host.start("run", "--continue", "--json", "--config", host.configFile).ended
    expect(await host.leaks()).toEqual([])
  })

  it("is redacted in the middle of a tool call", async () => {
    const host = plant()
    const call = { tool: "bash", input: { command: `echo '${planted}'; echo "$PLANTED_TOKEN" > made; sleep 300` } }
    const running = host.begin([[{ call }], done], "--yes", "--json")
    await running.event("tool.started")
    await expect.poll(() => readdirSync(host.place.folder), { timeout: 20_000 }).toContain("made")
    running.signal("SIGKILL")
    expect(await host.leaksToReaders()).toEqual([])
    await host.start("run", "--continue", "--yes", "--json", "--config", host.configFile).ended
    expect(await host.leaks()).toEqual([])
  })
})

describe("files beside the log", () => {
  it("redacts documents, their names and their sources", async () => {
    const host = plant()
    host.place.write(`about ${apiKey}.md`, `# Key ${apiKey}\n\nThe token ${planted} opens the depot. ${planted}`)
    const added = await host.start("knowledge", "add", ".", "--config", host.configFile).ended
    expect({ code: added.code, stderr: added.stderr }).toEqual({ code: 0, stderr: "" })
    const again = await host.start("knowledge", "add", ".", "--config", host.configFile).ended
    expect(again.stdout).toContain("1 unchanged")
    await host.start("knowledge", "ls").ended
    const found = await host.start("knowledge", "search", "depot").ended
    expect(found.stdout).toContain("redacted:PLANTED_TOKEN")
    expect(await host.leaks()).toEqual([])
  })

  it("redacts the request log of the server, also where it is truncated", async () => {
    const host = plant()
    const server = host.start("serve", "--port", "0", "--config", host.configFile)
    await server.prints("listening on")
    const address = /listening on (\S+)/.exec(server.stdout)?.[1] ?? ""
    const paths = [apiKey, encodeURIComponent(planted), `${"x".repeat(90)}${apiKey}`]
    for (const path of paths) await fetch(`${address}/${path}`)
    const socket = new WebSocket(`${address.replace("http", "ws")}/ws`)
    await once(socket, "open")
    for (const lead of [0, 85, 92]) {
      socket.send(JSON.stringify({ action: "ping", requestId: `${"r".repeat(lead)}${apiKey} ${planted}` }))
    }
    await once(socket, "message")
    socket.close()
    await expect.poll(() => server.stderr.match(/"event":"closed"/g)?.length, { timeout: 20_000 }).toBe(1)
    server.signal("SIGTERM")
    await server.ended
    expect(server.stderr).toContain("redacted:providers.mock.apiKey")
    expect(await host.leaks()).toEqual([])
  })

  it("redacts the log of the background host", async () => {
    const host = plant({ tools: { allow: ["bash"] } })
    const model = host.place.script([bash(`echo '${planted}'`), done])
    const started = await host.start("run", "go", "--detach", "--model", model, "--config", host.configFile).ended
    expect({ code: started.code, stderr: started.stderr }).toEqual({ code: 0, stderr: "" })
    await expect.poll(() => host.place.log(started.stdout.trim()), { timeout: 30_000 }).toContain("turn.ended")
    expect(await host.leaks()).toEqual([])
  })

  it("redacts the lock list of a call", async () => {
    const host = plant()
    const write = { tool: "write", input: { path: `${apiKey}.ts`, content: "export {}" } }
    await host.run([[{ call: write }], done], "--yes", "--json")
    expect(host.place.has(`${apiKey}.ts`)).toBe(true)
    expect(await host.leaks()).toEqual([])
  })
})

describe("Turnhouse's own keys and tokens", () => {
  it("are redacted when a shell without a sandbox prints them", async () => {
    const host = plant({ tools: { sandbox: "off" } })
    const { home } = host.place
    const print = `cd '${home}'; cat console.key; base64 secret.key; od -An -tx1 secret.key | tr -d ' \\n'; cat sessions/*.token`
    await host.run([bash(print), done], "--yes", "--json")
    const [printed] = eventsOf(host.started[0]?.running.stdout ?? "", "tool.ended")
    const names = ["console.key", "secret.key", "secret.key", "session_token"]
    const placeholders = names.map((name) => `‹redacted:${name}:[0-9a-f]{4}›=?\\s*`)
    expect(printed?.output).toMatch(new RegExp(`^${placeholders.join("")}$`))
  })
})

describe("session options", () => {
  it("redacts the system prompt", async () => {
    const host = plant({ system: `Use the key ${apiKey}.` })
    await host.run([done], "--json")
    expect(await host.leaksToReaders()).toEqual([])
  })

  it("redacts the name", async () => {
    const host = plant()
    await host.start("new", "--name", `about ${planted}`, "--config", host.configFile).ended
    expect(await host.leaksToReaders()).toEqual([])
  })
})

describe("output of commands that run no session", () => {
  it("is redacted", async () => {
    const host = plant()
    await host.start("models", "--config", host.configFile).ended
    await host.start("models", "--json", "--config", host.configFile).ended
    await host.start("tools_list", "--json").ended
    await host.start("doctor").ended
    expect(await host.leaks()).toEqual([])
  })

  it("is redacted when a configuration with a key is invalid", async () => {
    const host = plant()
    writeFileSync(
      host.configFile,
      JSON.stringify({ providers: { mock: { type: "openai", apiKey, apikey: apiKey, region: 5 } } }),
    )
    const { code, stderr } = await host.start("run", "go", "--config", host.configFile).ended
    expect({ code, named: stderr.includes("apikey") }).toEqual({ code: 2, named: true })
    expect(await host.leaks()).toEqual([])
  })
})
