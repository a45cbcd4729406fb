import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cwd, folder, load, problemsOf, problemsWith, write, useConfigPlace } from "../testing/config-place.ts"
import { ConfigFault } from "./faults.ts"

useConfigPlace()

describe("a mistake", () => {
  it("in a key names the nearest known key at that place", async () => {
    expect(await problemsWith('{\n  "tools": { "dney": [] }\n}')).toBe(
      '/home/config.json:2:14: unknown key "tools.dney"; did you mean "deny"?',
    )
    expect(await problemsWith({ agents: { a: { embed: { origins: [], Keys: "k" } } } })).toContain(
      'did you mean "key"?',
    )
    expect(await problemsWith({ otp: { transport: { type: "smtp", url: "u", uri: "x" } } })).toContain(
      '"otp.transport.uri"; did you mean "url"?',
    )
    expect(await problemsWith({ surprise: 1 })).toMatch(
      /unknown key "surprise"; the nearest known key here is "\w+" \(known: /,
    )
  })

  it.each([
    [{ server: { port: "8787" } }, "server.port: expected a whole number, found a text."],
    [{ server: { port: 70000 } }, "server.port: expected 65535 or less, found the number 70000."],
    [{ tools: { deny: "bash" } }, "tools.deny: expected a list […], found a text."],
    [{ tools: { deny: [1] } }, "tools.deny[0]: expected a text, found the number 1."],
    [{ tools: { sandbox: "on" } }, 'tools.sandbox: expected "auto", "off" or "require", found "on".'],
    [{ tools: { network: "some" } }, 'tools.network: expected "none" or "all", found "some".'],
    [
      { tools: { network: { allow: ["https://a.com"] } } },
      "tools.network.allow[0]: expected a host, such as example.com",
    ],
    [{ tools: { mode: 1 } }, "tools.mode: expected a text or an object {…}, found the number 1."],
    [{ policy: { taint: null } }, "policy.taint: expected true or false, found null."],
    [{ budget: { usdPerTree: 0 } }, "budget.usdPerTree: expected more than 0, found the number 0."],
    [{ model: "" }, "model: the text is empty; write one or remove it."],
    [{ bus: { type: "kafka" } }, 'bus.type: expected "local" or "nats", found "kafka".'],
    [{ otp: { transport: { type: "smtp" } } }, "otp.transport.url is missing."],
    [{ providers: { a: { apiKey: "x" } } }, "providers.a.type is missing."],
    [[], "the whole: expected an object {…}, found a list."],
  ])("in %j is reported with what was expected and what was found", async (content, problem) => {
    expect(await problemsWith(content)).toMatch(/^\/home\/config\.json:1:\d+: /)
    expect(await problemsWith(content)).toContain(problem)
  })

  it("in a value of several shapes is judged by the shape that fits best", async () => {
    expect(await problemsWith({ store: {} })).toBe("/home/config.json:1:10: store.type is missing.")
    expect(await problemsWith({ store: { url: "x" } })).toBe("/home/config.json:1:10: store.type is missing.")
    expect(await problemsWith({ store: { type: "sqlite", url: "x" } })).toMatch(/^\S+ unknown key "store.url"; [^\n]*$/)
  })

  it("does not show what may be a key", async () => {
    expect(await problemsWith({ providers: "sk-very-secret", server: { auth: "sk-very-secret" } })).not.toContain("sk-")
  })

  it.each([
    ['{\n  "model": "a"\n  "system": "b"\n}', "3:3: a comma is missing before this."],
    ['{ "model": ', "1:12: a value is expected here."],
    ['{ "model": "a', "1:12: this text is not closed by a double quote."],
    ["{ 'model': 1 }", "1:3: this is not JSON; texts need double quotes."],
    ["{} {}", "1:4: the file should end here, but there is more."],
    ["", "1:1: the file is empty; write {} or remove it."],
    ["/* only */", "1:1: the file is empty; write {} or remove it."],
    ['{ "model": "a",\n  "model": "b" }', '2:3: the key "model" is a duplicate; remove one.'],
    ["[".repeat(200_000), "1:65: it is nested deeper than 64 levels."],
    [`${"[".repeat(500)}${"]".repeat(500)}`, "1:65: it is nested deeper than 64 levels."],
  ])("in the JSON has a line and a column: %#", async (content, problem) => {
    expect(await problemsWith(content)).toBe(`/home/config.json:${problem}`)
  })

  it("is reported with all others, from every file, ten lines at most", async () => {
    write("home/config.json", { modle: "x" })
    const configFile = write("named.json", "{")
    expect((await problemsOf(load({ configFile }))).split("\n")).toHaveLength(2)
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`key${at}`, 1]))
    const lines = (await problemsWith(many)).split("\n")
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toBe("and 21 more problems; fix these first.")
  })

  it("of the file itself is reported in one line", async () => {
    expect(await problemsWith(`{ "system": "${"x".repeat(10 * 1024 * 1024)}" }`)).toMatch(/it is larger than 1 MiB/)
    expect(await problemsWith(Uint8Array.of(0x7b, 0xff, 0x7d))).toBe(
      "/home/config.json: it is not UTF-8 text; save it as UTF-8.",
    )
    expect(await problemsOf(load({ configFile: cwd }))).toContain("/project: it cannot be read: it is a folder.")
  })

  it("in a key named __proto__ is an unknown key like any other", async () => {
    expect(await problemsWith('{ "__proto__": { "model": "x" } }')).toContain('unknown key "__proto__"')
    expect(await problemsWith('{ "__proto__": { "model": "x" }, } // c')).toContain('unknown key "__proto__"')
  })

  it("of any kind is a ConfigFault with messages, never a crash", async () => {
    const known = fc.constantFrom(
      "model",
      "tools",
      "deny",
      "store",
      "type",
      "server",
      "auth",
      "define",
      "run",
      "limits",
      "mcpServers",
    )
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>("sqlite", "postgres", "jwt", "Smart", -1, 1.5, null, true, ""),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(known, tie("tree"), { maxKeys: 4 }),
      ),
    }))
    const text = fc.oneof(
      tree.map((value) => JSON.stringify(value)),
      fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "/", "*", "\\", "u", "1", "\n", "model") }),
    )
    await fc.assert(
      fc.asyncProperty(text, text, async (user, project) => {
        write("home/config.json", user)
        write("project/turnhouse.json", project)
        const outcome = await load({ trust: folder("trusted") }).catch((error: unknown) => error)
        if (!(outcome instanceof Error)) return
        expect(outcome).toBeInstanceOf(ConfigFault)
        expect(outcome.message).not.toBe("")
      }),
      { numRuns: 200 },
    )
  })
})
