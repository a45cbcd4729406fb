// Plugins: their commands, missing folders, and the settings of synaps.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { object, type Json } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

function writePlugin(root: string, id: string, manifest: Json, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, id)
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify({ name: id, ...manifest }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const commands = [
  { name: "demo", description: "Shows\u001b[2J a page.", command: "cat", args: ["demo.md"] },
  { name: "../x", command: "true" },
]

describe.concurrent("the commands of plugins", () => {
  it("are listed with what they do, and unusable ones with the reason", async (test) => {
    const place = newPlace(test)
    writePlugin(join(place.home, "plugins"), "pages", { commands })
    writePlugin(place.path(".turnhouse/plugins"), "theirs", { commands: [{ name: "go", prompt: "Go." }] })
    const { code, stdout, stderr } = await place.run("ext", "ls")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\/pages:demo +yes +runs a program +Shows \[2J a page\.$/m)
    expect(stdout).toMatch(/^\/theirs:go +no +prompts the model/m)
    expect(stderr).toContain("turnhouse: plugin pages: the name of commands[1] must be")
    const listed = object((await place.run("ext", "ls", "--json")).stdout)
    expect(listed).toMatchObject({
      extensions: [],
      commands: [
        { name: "pages:demo", extension: "pages", usage: null, does: "program", trusted: true },
        { name: "theirs:go", trusted: false },
      ],
      warnings: [expect.stringContaining("commands[1]")],
    })
  })

  it("are enough for a plugin to be in order", async (test) => {
    const place = newPlace(test)
    writePlugin(place.folder, "pages", { commands })
    const { code, stdout } = await place.run("ext", "check", "pages")
    expect(code).toBe(0)
    expect(stdout).toContain("ok       command: /pages:demo: runs a program")
    expect(stdout).toMatch(/^note {5}commands: the name of commands\[1\] must be .*; it is ignored$/m)
    expect(stdout).toContain("pages is OK.")
    writePlugin(place.folder, "nothing", { skills: [] })
    expect(await place.run("ext", "check", "nothing")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("the manifest has no field 'extension'"),
    })
  })
})

describe.concurrent("a folder of extensions that is not there", () => {
  it("is reported by ext ls, by doctor, and once by a session", async (test) => {
    const place = newPlace(test)
    const path = place.path("nowhere")
    place.config({ extensions: { paths: [path] } })
    const sentence = `extensions.paths: ${path} does not exist`
    expect(await place.run("ext", "ls")).toMatchObject({ code: 0, stderr: expect.stringContaining(sentence) })
    expect((await place.run("doctor")).stdout).toContain(sentence)
    const { stderr } = await place.run("run", "go", "--model", place.script([[{ text: "Hello." }]]))
    expect(stderr.split(sentence)).toHaveLength(2)
  })
})

describe.concurrent("the switches of synaps", () => {
  const program = `import json, sys
def read():
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line: sys.exit()
        if line.lower().startswith(b"content-length"): length = int(line.split(b":")[1])
        if not line.strip(): return json.loads(sys.stdin.buffer.read(length))
while True:
    request = read()
    result = {"protocol_version": 1}
    if request["method"] == "hook.handle":
        kind = request["params"]["kind"]
        print(kind, request["params"]["session_id"], file=sys.stderr, flush=True)
        result = {"action": "confirm", "message": "really?"} if kind == "before_tool_call" else {"action": "replace", "output": "short"}
    body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
    if request["method"] == "shutdown": sys.exit()
`
  const extension = {
    runtime: "process",
    command: "python3",
    args: ["main.py"],
    permissions: ["tools.intercept", "tools.transform_output"],
    hooks: [{ hook: "before_tool_call" }, { hook: "after_tool_call" }],
  }
  const bash = { call: { tool: "bash", input: { command: "echo a long secret" } } }

  it("apply: approval in advance, hidden sessions, traces, and records of replaced outputs", async (test) => {
    const place = newPlace(test)
    writePlugin(join(place.home, "plugins"), "odd", { extension }, { "main.py": program })
    place.config({ tools: { allow: ["bash"] } })
    const synaps = place.path("synaps")
    mkdirSync(synaps)
    const env = { SYNAPS_BASE_DIR: synaps, SYNAPS_EXTENSIONS_TRACE: "on", SYNAPS_HOOK_SESSION_ID: "off" }
    const model = place.script([[bash], [{ expect: { toolResult: "short" } }, { text: "Done." }]])
    writeFileSync(join(synaps, "config"), "auto_approve_confirms = true\n")
    expect(await place.start(["run", "go", "--model", model], { env }).ended).toMatchObject({
      code: 0,
      stdout: "Done.\n",
    })
    const log = readFileSync(join(place.home, "extensions", "odd.log"), "utf8")
    expect(log).toContain("before_tool_call None")
    expect(log).toContain('"action":"confirm"')
    const noted = readFileSync(join(place.home, "extensions", "intercept.jsonl"), "utf8")
    expect(object(noted)).toMatchObject({ plugin_id: "odd", tool_name: "bash", action: "replace", replacement_len: 5 })
    expect(noted + log).not.toContain("long secret")
  })

  it("do not apply if they are off: an unanswered question is a refusal with its text", async (test) => {
    const place = newPlace(test)
    writePlugin(join(place.home, "plugins"), "odd", { extension }, { "main.py": program })
    place.config({ tools: { allow: ["bash"] } })
    const model = place.script([[bash], [{ expect: { toolResult: "odd: really?" } }, { text: "Well." }]])
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 3, stdout: "Well.\n" })
  })
})
