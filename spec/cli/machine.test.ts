// Commands about the installation: `doctor`, and the lists of models and tools.
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { startCatalogueServer } from "./catalogue-server.ts"
import { describe, expect, it } from "vitest"
import { isObject } from "../../src/contract/json-object.ts"
import { object, objects, type Json } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { leavePendingApproval } from "./asking.ts"

async function findings(place: Place, env: Readonly<Record<string, string>> = {}): Promise<readonly Json[]> {
  const { stdout } = await place.start(["doctor", "--json"], { env }).ended
  const found = object(stdout)["findings"]
  return Array.isArray(found) ? found.filter(isObject) : []
}

function findingsOn(found: readonly Json[], subject: string): readonly Json[] {
  return found.filter((finding) => finding["subject"] === subject)
}

describe.concurrent("doctor", () => {
  it("reports no problem for a good installation, and changes nothing", async (test) => {
    const place = newPlace(test)
    const bare = { TURNHOUSE_HOME: join(place.root, "never-made") }
    const { code, stdout, stderr } = await place.start(["doctor"], { env: bare }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const subject of ["Node", "system", "disk", "home", "log", "bash", "git", "ripgrep", "bubblewrap", "trust"])
      expect(stdout).toMatch(new RegExp(`^(ok|warning) +${subject} `, "m"))
    expect(stdout).toContain("it is created when needed")
    expect((await place.start(["doctor"], { env: bare }).ended).stdout).toContain("it is created when needed")
  })

  it("reports an invalid configuration and runs the other checks", async (test) => {
    const place = newPlace(test)
    place.config({ modle: "x" })
    const { code, stdout } = await place.run("doctor")
    expect(code).toBe(2)
    expect(stdout).toMatch(/^problem +configuration +.*config\.json:1:\d+: unknown key "modle"/m)
    expect(stdout).toMatch(/^ok +ripgrep/m)
    expect(stdout).toContain("1 error")
  })

  it("warns of a home that is reached through a symbolic link", async (test) => {
    const place = newPlace(test)
    const link = join(place.root, "linked-home")
    symlinkSync(place.home, link)
    const { stdout } = await place.start(["doctor"], { env: { TURNHOUSE_HOME: link } }).ended
    expect(stdout).toContain(`${link} is reached through a symbolic link`)
    expect(stdout).toContain(`set TURNHOUSE_HOME to ${place.home}`)
  })

  it("reports a log that cannot be opened", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "turnhouse.db"), "not a database, but long enough to be looked at as if it were one")
    const [log] = findingsOn(await findings(place), "log")
    expect(log).toMatchObject({ level: "problem" })
    expect(log?.["what"]).toContain("not a database")
  })

  it("lists providers with a key by the source of the key, and never shows the key", async (test) => {
    const place = newPlace(test)
    place.config({ providers: { own: { type: "anthropic", apiKey: "config-key-93842" } } })
    const env = { ANTHROPIC_API_KEY: "environment-key-17263" }
    const { stdout } = await place.start(["doctor"], { env }).ended
    expect(stdout).toContain("anthropic has a key (ANTHROPIC_API_KEY)")
    expect(stdout).toContain("own has a key (providers.own.apiKey in the configuration)")
    expect(stdout).not.toMatch(/93842|17263/)
  })

  it("reports a model server that answers and one that does not", async (test) => {
    const server = createServer((_, response) => response.end('{"data":[{"id":"small"}]}'))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    test.onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const place = newPlace(test)
    const type = "openai-compatible"
    place.config({
      providers: {
        here: { type, baseURL: `http://127.0.0.1:${port}/v1` },
        gone: { type, baseURL: "http://127.0.0.1:1/v1" },
      },
    })
    const told = findingsOn(await findings(place), "providers")
    expect(told).toContainEqual(
      expect.objectContaining({ level: "ok", what: `here answers at http://127.0.0.1:${port}, 1 models` }),
    )
    expect(told).toContainEqual(
      expect.objectContaining({ level: "warning", what: "gone does not answer at http://127.0.0.1:1" }),
    )
  })

  it("reports a host that died in the middle of a turn", async (test) => {
    const place = newPlace(test)
    const { sessionId } = await leavePendingApproval(place)
    const [hosts] = findingsOn(await findings(place), "hosts")
    expect(hosts).toMatchObject({ level: "warning" })
    expect(hosts?.["todo"]).toContain(`turnhouse run --session ${sessionId}`)
  })

  it("reports files that are open to other users, and unknown variables", async (test) => {
    const place = newPlace(test)
    chmodSync(place.home, 0o755)
    const found = await findings(place, { TURNHOUSE_HOEM: "/x" })
    expect(findingsOn(found, "modes")).toMatchObject([{ level: "warning", todo: `chmod 700 ${place.home}` }])
    expect(findingsOn(found, "variables")).toContainEqual(
      expect.objectContaining({ level: "warning", todo: "did you mean TURNHOUSE_HOME?" }),
    )
  })
})

describe.concurrent("models", () => {
  it("advises how to add a model if there is only the offline one", async (test) => {
    const { code, stdout } = await newPlace(test).run("models")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\* +offline\/demo +32,000 +0 +0$/m)
    expect(stdout).toMatch(/Price data of \d{4}-\d\d-\d\d/)
    expect(stdout).toContain("ANTHROPIC_API_KEY")
  })

  it("lists the models of a provider that has a key, with prices and the default marked", async (test) => {
    const place = newPlace(test)
    const env = { ANTHROPIC_API_KEY: "a-key-that-is-not-used" }
    const { stdout } = await place.start(["models"], { env }).ended
    expect(stdout).toMatch(/^\* +anthropic\/claude-\S+ +[\d,]+ +[\d.]+ +[\d.]+ +images thinking tools pdf$/m)
    expect(stdout).not.toContain("Only the offline model")
    const { models, priceData } = object((await place.start(["models", "--json"], { env }).ended).stdout)
    expect(models).toContainEqual(expect.objectContaining({ provider: "anthropic", isDefault: true }))
    expect(priceData).toMatchObject({ date: expect.any(String) })
  })

  it("selects models by words, and fails if none can be used", async (test) => {
    const place = newPlace(test)
    const env = { ANTHROPIC_API_KEY: "a-key-that-is-not-used" }
    const { stdout } = await place.start(["models", "OPUS", "anthropic/"], { env }).ended
    const names = stdout.split("\n").flatMap((line) => /^[* ] +(\S+\/\S+)/.exec(line)?.[1] ?? [])
    expect(names).toContain("anthropic/claude-opus-5")
    expect(names.filter((name) => !name.includes("opus"))).toEqual([])
    const other = await place.start(["models", "gpt-6-sol"], { env }).ended
    expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining("Without a key: openai/gpt-6-sol") })
    expect((await place.start(["models", "gpt-6-sol", "--all"], { env }).ended).code).toBe(0)
    expect(await place.start(["models", "no such model"], { env }).ended).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('No model matches "no such model".'),
    })
  })

  it("fetches newer data with --refresh, and uses it without a network afterwards", async (test) => {
    const place = newPlace(test)
    const server = await startCatalogueServer()
    test.onTestFinished(() => server.close())
    const env = { ANTHROPIC_API_KEY: "key-of-the-catalogue-test", ANTHROPIC_BASE_URL: server.url }
    const refreshed = await place.start(["models", "--refresh", "--from", `${server.url}/api.json`], { env }).ended
    expect(refreshed).toMatchObject({ code: 0, stderr: `${server.url}/api.json: 1 model\nanthropic: 2 models\n` })
    expect(server.keys).toEqual(["key-of-the-catalogue-test"])
    expect(statSync(join(place.home, "model-catalogue", "catalogue.json")).mode & 0o777).toBe(0o600)
    await server.close()
    const { stdout } = await place.start(["models"], { env }).ended
    expect(stdout).toMatch(/^ +anthropic\/claude-tomorrow +700,000 +3 +9 +images tools$/m)
    expect(stdout).toMatch(/^ +anthropic\/claude-later +500,000 +\? +\?$/m)
    const failed = await place.start(["models", "--refresh", "--from", `${server.url}/api.json`], { env }).ended
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("not refreshed, it cannot be reached") })
    expect(failed.stdout).toContain("anthropic/claude-tomorrow")
  })

  it("ignores a damaged catalogue in the home, and says so", async (test) => {
    const place = newPlace(test)
    mkdirSync(join(place.home, "model-catalogue"))
    writeFileSync(join(place.home, "model-catalogue", "catalogue.json"), '{"version":1')
    const { code, stdout, stderr } = await place.run("models")
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^turnhouse: \S+catalogue\.json is not a model catalogue and is ignored\./),
    })
    expect(stdout).toContain("offline/demo")
  })

  it.for([[["models", "--from", "x.json"], "--from needs --refresh"]] as const)(
    "refuses %j",
    async ([args, reason], test) => {
      expect(await newPlace(test).run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
    },
  )

  it("reports an invalid price file", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "prices.json"), "[]")
    const { code, stderr } = await place.run("models")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^turnhouse: The price file .*prices\.json is wrong: [^\n]+\n$/)
  })
})

describe.concurrent("tools_list", () => {
  it("prints the tools as a JSON array with their input schemas", async (test) => {
    const { code, stdout, stderr } = await newPlace(test).run("tools_list", "--json")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const tools = objects(stdout)
    const names = tools.map((tool) => String(tool["name"]))
    const files = "bash read write edit grep find ls bash_output bash_kill apply_patch"
    const agents = "subagent subagent_start subagent_status subagent_steer subagent_collect"
    expect(names.join(" ")).toBe(`${files} todo ask skill ${agents} knowledge_search web_fetch`)
    for (const tool of tools) {
      expect(Object.keys(tool)).toEqual(["name", "description", "input_schema"])
      expect(tool["input_schema"]).toMatchObject({ type: "object", properties: expect.any(Object) })
    }
  })

  it("has the tools that the configuration defines", async (test) => {
    const place = newPlace(test)
    const input = { type: "object", properties: { number: { type: "string" } } }
    const tool = { description: "Looks up an order.", input, class: "read", run: ["true"] }
    place.config({ tools: { define: { lookup_order: tool } } })
    const tools = objects((await place.run("tools_list", "--json")).stdout)
    expect(tools.at(-1)).toEqual({ name: "lookup_order", description: tool.description, input_schema: input })
  })

  it("prints a table without --json", async (test) => {
    expect((await newPlace(test).run("tools_list")).stdout).toMatch(/^TOOL +CLASS +DOES\nbash +unsafe +Runs a shell/)
  })
})
