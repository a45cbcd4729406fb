// `turnhouse ext`: lists extensions, checks one and creates one.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { complaintOf, noComplaint } from "./complaints.ts"
import { eventually } from "./eventually.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { eventsOf, object, type Json } from "./printed.ts"
import { runningWith } from "./processes.ts"
import { idOf, newPlace, sharedPlace, type Place } from "./turnhouse.ts"

function writeManifest(root: string, id: string, extension: Json): string {
  const folder = join(root, id)
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify({ name: id, extension }))
  return folder
}

/** Each piece must be there: a test that changes nothing would prove nothing. */
function change(place: Place, file: string, changes: readonly (readonly [string, string])[]): void {
  const text = changes.reduce((before, [from, to]) => {
    expect(before).toContain(from)
    return before.replace(from, to)
  }, place.read(file))
  place.write(file, text)
}

const watching = {
  runtime: "process",
  command: "true",
  permissions: ["tools.intercept"],
  hooks: [{ hook: "before_tool_call", tool: "bash" }],
}

describe.concurrent("ext ls", () => {
  it("shows what would be loaded, and what only trust would load", async (test) => {
    const place = newPlace(test)
    writeManifest(join(place.home, "plugins"), "policy", watching)
    writeManifest(place.path(".turnhouse/plugins"), "theirs", watching)
    place.config({ extensions: { failClosed: ["policy"] } })
    const { code, stdout } = await place.run("ext", "ls")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^policy +yes +yes +before_tool_call\(bash\) +tools.intercept +\S+plugins$/m)
    expect(stdout).toMatch(/^theirs +no +no /m)
    const listed = object((await place.run("ext", "ls", "--json")).stdout)
    expect(listed).toMatchObject({ extensions: [{ id: "policy" }, { id: "theirs", trusted: false }], failures: [] })
  })

  it("fails when one could not be loaded or a guard is missing, and says why", async (test) => {
    const place = newPlace(test)
    writeManifest(join(place.home, "plugins"), "odd", { ...watching, permissions: [] })
    place.config({ extensions: { failClosed: ["ghost"] } })
    const { code, stdout, stderr } = await place.run("ext", "ls")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/extension odd would not be loaded: the hook before_tool_call needs the permission/)
    expect(stderr).toMatch(/extension ghost would not be loaded: .*every call is blocked/)
  })
})

describe.concurrent("an extension of an open session", () => {
  const waiting = { call: { tool: "bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } } }

  it("is shown with its health and times, and whether its files have changed since", async (test) => {
    const place = newPlace(test)
    const folder = await freshPlugin(place)
    const running = place.start(["run", "wait", "--yes", "--model", place.script([[waiting], [{ text: "Over." }]])])
    const [shown] = await eventually("an extension that was asked", () => queryExtensions(place))
    expect(shown).toMatchObject({ id: "fresh", folder, health: "running", isOutdated: false, restarts: 0 })
    expect(shown).toMatchObject({ permissions: ["tools.intercept", "session.lifecycle"], times: { calls: 1 } })
    writeFileSync(join(folder, "extensions", "main.py"), "# nothing is left")
    const { code, stdout } = await place.run("ext", "ls")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^fresh +\S+ +run \d+ +running, files changed +0 +1 +[\d.]+ ms +[\d.]+ ms +-$/m)
    place.write("go", "")
    expect(await running.ended).toMatchObject({ code: 0, stdout: "Over.\n" })
    expect(object((await place.run("ext", "ls", "--json")).stdout)).toMatchObject({ hosts: [] })
  })

  it.for([false, true])(
    "is the changed one in the next session of the same host (shared: %j)",
    async (isShared, test) => {
      const place = newPlace(test)
      place.config({ extensions: { shared: isShared ? ["fresh"] : [] } })
      const folder = await freshPlugin(place)
      const before = await refusedInBackground(place)
      const program = join(folder, "extensions", "main.py")
      writeFileSync(
        program,
        readFileSync(program, "utf8").replace('settings["reason"]', '"Again: " + settings["reason"]'),
      )
      const after = await refusedInBackground(place)
      expect(before.host).toMatchObject({ role: "host" })
      expect(before.reason).toContain("extension: Removing whole folders is not allowed.")
      expect(after).toEqual({ host: before.host, reason: before.reason.replace("Removing", "Again: Removing") })
    },
  )
})

/** Made by the program itself, in the home. */
async function freshPlugin(place: Place): Promise<string> {
  mkdirSync(join(place.home, "plugins"))
  const folder = join(place.home, "plugins", "fresh")
  expect((await place.run("ext", "new", folder, "--language", "python")).code).toBe(0)
  return folder
}

async function queryExtensions(place: Place): Promise<readonly Json[] | undefined> {
  const [host] = listOf(object((await place.run("ext", "ls", "--json")).stdout)["hosts"])
  const extensions = listOf(host?.["extensions"])
  return extensions.some(({ times }) => isObject(times) && times["calls"] !== 0) ? extensions : undefined
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** What the extension says to a call in a new session of the background host, and which host that is. */
async function refusedInBackground(place: Place) {
  const call = { call: { tool: "bash", input: { command: "rm -rf victim" } } }
  const model = place.script([[call], [{ text: "I was told." }]])
  const { code, stderr } = await place.run("run", "go", "--detach", "--model", model)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const [session] = await place.sessions()
  const found = async () => eventsOf(await place.log(idOf(session)), "tool.refused")[0]
  const { reason } = await eventually("a refused call", found)
  return { host: session?.["host"], reason }
}

describe.concurrent("ext new", () => {
  it.for(["ts", "python"])("makes one in %s that passes its check and guards as it is", async (language, test) => {
    const place = newPlace(test)
    const folder = join(place.home, "plugins", "fresh") // its parent does not exist either
    expect((await place.run("ext", "new", folder, "--language", language)).code).toBe(0)
    const checked = await place.run("ext", "check", folder)
    expect(checked).toMatchObject({ code: 0, stderr: "" })
    expect(checked.stdout).toContain('came: {"action":"block","reason":"Removing whole folders is not allowed."}')
    const call = { call: { tool: "bash", input: { command: "rm -rf victim" } } }
    const told = { expect: { toolResult: "Tool call blocked by extension: Removing whole folders is not allowed." } }
    const model = place.script([[call], [told, { text: "I was told." }]])
    expect((await place.run("run", "go", "--yes", "--model", model)).stdout).toBe("I was told.\n")
  })

  it("in TypeScript uses the SDK", async (test) => {
    const place = newPlace(test)
    await place.run("ext", "new", "fresh")
    expect(place.read("fresh/extensions/main.mts")).toContain('from "turnhouse/extension"')
  })

  it("refuses a folder that is not empty", async (test) => {
    const place = newPlace(test)
    place.write("mine", "here")
    expect(complaintOf(await place.run("ext", "new", "."), "is not empty")).toEqual(noComplaint(1))
    expect(existsSync(place.path(".synaps-plugin"))).toBe(false)
  })
})

describe.concurrent("ext check", () => {
  it("reports all errors of a manifest in the order of the host, and starts nothing", async (test) => {
    const place = newPlace(test)
    writeManifest(place.folder, "bad", {
      protocol_version: 7,
      runtime: "process",
      command: " ",
      permissions: ["nope"],
      hooks: [{ hook: "on_lunch" }, { hook: "before_message" }],
      config: [{ key: "token", required: true }],
    })
    const { code, stdout } = await place.run("ext", "check", "bad", "--json")
    expect(code).toBe(1)
    expect(object(stdout)).toEqual({
      ok: false,
      id: "bad",
      problems: [
        "its setting 'token' is missing; set SYNAPS_EXTENSION_BAD_TOKEN or extension.bad.token",
        "it requires protocol version 7; supported: 1, 2",
        "its command is empty",
        "there is no permission 'nope'",
        "there is no hook 'on_lunch'",
        "the hook before_message needs the permission privacy.llm_content",
      ],
      commands: [],
      commandFaults: [],
      unknown: [],
    })
  })

  it("reports all errors of its shape, and what to do", async (test) => {
    const place = newPlace(test)
    writeManifest(place.folder, "bad", { runtime: "Process", command: 7, hooks: [{ hook: "on_usage", tool: 1 }, {}] })
    const { code, stdout } = await place.run("ext", "check", "bad")
    expect(code).toBe(1)
    expect(stdout.split("\n")).toEqual([
      'problem  manifest: extension.runtime must be "process"',
      "problem  manifest: extension.command must be string",
      "problem  manifest: extension.hooks[0].tool must be string or null",
      "problem  manifest: extension.hooks[1] must have required property 'hook'",
      "         nothing was started",
      "bad has errors. Fix them and run again: turnhouse ext check bad",
      "",
    ])
  })

  it("fails for an invalid answer and for a crash", async (test) => {
    const place = newPlace(test)
    await place.run("ext", "new", "fresh", "--language", "python")
    change(place, "fresh/extensions/main.py", [
      ['{"action": "continue"}', '{"action": "inject_message"}'],
      ['return {"action": "block", "reason": settings["reason"]}', "sys.exit(4)"],
    ])
    const { code, stdout } = await place.run("ext", "check", "fresh", "--json")
    expect(code).toBe(1)
    expect(object(stdout)["hooks"]).toMatchObject([
      { hook: "on_session_start", ok: false, understood: expect.stringContaining("'inject_message', unknown") },
      { hook: "before_tool_call", ok: false, understood: expect.stringContaining("it ended with exit code 4") },
    ])
  })

  it("kills an extension that does not exit after shutdown", async (test) => {
    const place = newPlace(test)
    await place.run("ext", "new", "fresh")
    const staying = 'setInterval(() => {}, 1000)\nconsole.error("staying")\nawait defineExtension({'
    change(place, "fresh/extensions/main.mts", [["await defineExtension({", staying]])
    const { code, stdout } = await place.run("ext", "check", "fresh", "--json")
    const printed = object(stdout)["printed"]
    expect({ code, printed }).toEqual({ code: 0, printed: ["staying"] })
    expect(runningWith(place.path("fresh"))).toEqual([])
  })

  it("shows the names of settings and not their values", async (test) => {
    const place = newPlace(test)
    await place.run("ext", "new", "fresh", "--language", "python")
    change(place, "fresh/extensions/main.py", [['settings["reason"]', '"no"']])
    const env = { SYNAPS_EXTENSION_FRESH_REASON: "hush-hush" }
    const { code, stdout, stderr } = await place.start(["ext", "check", "fresh"], { env }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("settings: reason")
    expect(stdout).not.toContain("hush-hush")
  })
})

describe.concurrent("the example of the documentation", () => {
  it("runs as it stands", async (test) => {
    const place = newPlace(test)
    const page = readFileSync(new URL("../../docs/extensions.md", import.meta.url), "utf8")
    const [, section = ""] = page.split("## Writing an extension\n")
    const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(section)?.[1] ?? ""
    mkdirSync(place.path("policy/.synaps-plugin"), { recursive: true })
    place.write("policy/.synaps-plugin/plugin.json", block("json"))
    place.write("policy/main.ts", block("ts"))
    const { code, stdout } = await place.run("ext", "check", "policy")
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('came: {"action":"block"') })
  })
})

describe("bad words", () => {
  const place = sharedPlace()

  it.concurrent.for<[readonly string[], RegExp]>([
    [["ext"], /Use 'ext ls', 'ext check DIR' or 'ext new DIR'/],
    [["ext", "list"], /unknown action 'ext list'/],
    [["ext", "ls", "here"], /unexpected argument 'here'/],
    [["ext", "check"], /name a folder/],
    [["ext", "check", "nowhere"], /nowhere is not a folder/],
    [["ext", "new", "x", "--language", "perl"], /--language: 'perl' is not supported/],
  ])("%j is refused with a message", async ([args, words]) => {
    expect(complaintOf(await place.run(...args), words)).toEqual(noComplaint(2))
  })
})
