// `setup`, and the question of the first `run`, on a terminal and in a pipe, with a provider on loopback.
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import type { Place } from "../e2e/place.ts"
import type { Running } from "../e2e/running.ts"
import { newPlace, program } from "../e2e/turnhouse.ts"
import { needPackage } from "../need-package.ts"
import type { ProviderScript } from "../provider-server/script.ts"
import { startOAuthServer } from "../oauth-server.ts"
import { startProviderServer } from "../provider-server/server.ts"

const key = "sk-setup-0123456789-secret"
const firstQuestion = "Number or name [1]: "
const keyQuestion = "Paste the API key of anthropic (not shown): "
const modelQuestion = "Number, or part of a name [1]: "

type Test = Pick<TestContext, "onTestFinished">

/** Anthropic's API as far as setup needs it; the key is needed for the list of models too. */
async function vendor(test: Test, script: Partial<ProviderScript> = {}) {
  const server = await startProviderServer({
    keys: [key],
    keysForList: true,
    models: ["claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5"],
    replies: [{ blocks: [{ text: "Hello from the provider." }], times: "always" }],
    ...script,
  })
  test.onTestFinished(() => server.close())
  return { server, env: { ANTHROPIC_BASE_URL: server.url, TERM: "xterm", NO_COLOR: "1" } }
}

/** Each answer is typed when its question has been printed. */
async function answer(terminal: Running, dialogue: readonly (readonly [string, string])[]): Promise<void> {
  let from = 0
  for (const [question, typed] of dialogue) {
    from = await terminal.until(`'${question}'`, () => {
      const at = terminal.stdout.indexOf(question, from)
      return at === -1 ? undefined : at + question.length
    })
    terminal.write(typed)
  }
}

function stored(place: Place): readonly string[] {
  return readdirSync(place.home).filter((name) => /^(config|auth\.json)/.test(name))
}

function configText({ home }: Place): string {
  return readFileSync(join(home, "config.json"), "utf8")
}

describe.concurrent("the first run on a terminal", () => {
  it("asks for a model until the key is right, stores it, and answers the prompt", async (test) => {
    const place = newPlace(test)
    const { server, env } = await vendor(test)
    const terminal = place.onTerminal(`${program} run hello`, { env })
    await answer(terminal, [
      [firstQuestion, "anthropic\r"],
      [keyQuestion, "two words\r"],
      [keyQuestion, "sk-wrong-0123456789\r"],
      [keyQuestion, `\r  ${key}  \r`],
      [modelQuestion, "haiku\r"],
      [modelQuestion, "\r"],
    ])
    const { code, stdout } = await terminal.ended
    expect(stdout).toContain("No model is configured. Choose one, or look around with the offline demo.")
    expect(stdout).toContain("This is no key: a key has no spaces or control characters.")
    expect(stdout).toContain("anthropic refuses this key.")
    expect(stdout).toContain("Hello from the provider.")
    expect(stdout).not.toContain(key)
    expect(stdout).not.toContain("sk-wrong")
    expect(code).toBe(0)
    expect(server.requests[0]?.headers["x-api-key"]).toBe(key)
    expect(JSON.parse(configText(place))).toEqual({ model: "anthropic/claude-haiku-4-5" })
    expect(statSync(join(place.home, "auth.json")).mode & 0o777).toBe(0o600)
    const again = await place.onTerminal(`${program} run hello`, { env }).ended
    expect(again.stdout).toContain("Hello from the provider.")
    expect(again.stdout).not.toContain(firstQuestion)
  })

  it("shows the offline demo to a user who asks for it, and stores nothing", async (test) => {
    const place = newPlace(test)
    const terminal = place.onTerminal(`${program} run hello`, { env: { TERM: "dumb" } })
    await answer(terminal, [[firstQuestion, "demo\r"]])
    const { code, stdout } = await terminal.ended
    expect(stdout).toContain("offline demo, which follows fixed rules")
    expect({ code, files: stored(place) }).toEqual({ code: 0, files: [] })
  })

  it.for([
    ["with a model in the configuration", { model: "offline/demo:0" }, {}],
    [
      "with a key in the environment",
      {},
      { OPENAI_API_KEY: "sk-env-0123456789", OPENAI_BASE_URL: "http://127.0.0.1:9" },
    ],
    ["in continuous integration", {}, { CI: "true" }],
  ] as const)("asks nothing %s", async ([, config, env], test) => {
    const place = newPlace(test)
    place.config(config)
    const terminal = place.onTerminal(`${program} run hello`, { env: { ...env, TERM: "dumb" } })
    await terminal.prints("session ")
    terminal.signal("SIGKILL")
    expect((await terminal.ended).stdout).not.toContain(firstQuestion)
  })
})

describe.concurrent("setup on a terminal", () => {
  it("offers what can be used now first, and keeps the rest of the configuration", async (test) => {
    const place = newPlace(test)
    const models = Array.from({ length: 1000 }, (_, at) => `local-model-${at}`)
    const server = await startProviderServer({ replies: [], models })
    test.onTestFinished(() => server.close())
    const text = '{\n  // mine\n  "model": "anthropic/claude-sonnet-5",\n  "thinking": "low", // stays\n}\n'
    writeFileSync(join(place.home, "config.json"), text)
    const terminal = place.onTerminal(`${program} setup`, { env: { OLLAMA_BASE_URL: server.url, TERM: "dumb" } })
    await answer(terminal, [
      [firstQuestion, "1\r"],
      [modelQuestion, "99 7\r"],
      [modelQuestion, "2\r"],
    ])
    const { code, stdout } = await terminal.ended
    expect(stdout).toContain("Model now: anthropic/claude-sonnet-5")
    expect(stdout).toContain("Provider anthropic has no key")
    expect(stdout).toMatch(/Usable now\s+1 {2}ollama +at 127\.0\.0\.1:\d+: local-model-0, local-model-1 and 998 more/)
    expect(stdout).toContain("and 990 more; type to search")
    expect(stdout).not.toContain("\u001b")
    expect(code).toBe(0)
    expect(configText(place)).toBe(text.replace("anthropic/claude-sonnet-5", "ollama/local-model-997"))
  })

  it("takes the address of a server, asks for a key only if it needs one, and keeps both for sessions", async (test) => {
    const place = newPlace(test)
    const { server } = await vendor(test, { models: ["large"] })
    const terminal = place.onTerminal(`${program} setup`, { env: { TERM: "dumb" } })
    await answer(terminal, [
      [firstQuestion, "server\r"],
      ["Address of the server", "nonsense\r"],
      ["Address of the server", `${server.url}\r`],
      ["openai-compatible needs a key.", ""],
      ["(not shown): ", `${key}\r`],
      [modelQuestion, "\r"],
    ])
    expect((await terminal.ended).code).toBe(0)
    expect((await place.run("run", "hello")).stdout).toBe("Hello from the provider.\n")
    expect(configText(place)).not.toContain(key)
  })

  it("logs in with a browser where the provider has a login", async (test) => {
    const place = newPlace(test)
    const server = await startOAuthServer()
    test.onTestFinished(() => server.close())
    const login = { deviceUrl: `${server.url}/device`, tokenUrl: `${server.url}/token`, clientId: "client-1" }
    place.config({ providers: { mine: { type: "openai-compatible", baseURL: `${server.url}/v1`, login } } })
    const terminal = place.onTerminal(`${program} setup`, { env: { TERM: "dumb" } })
    await answer(terminal, [
      [firstQuestion, "mine\r"],
      ["2 pastes an API key [1]: ", "\r"],
      ["enter the code ABCD-1234", ""],
      [modelQuestion, "\r"],
    ])
    expect((await terminal.ended).code).toBe(0)
    expect(JSON.parse(configText(place))).toMatchObject({ model: "mine/model-a", providers: { mine: { login } } })
  })

  it("says when a key cannot be checked, and uses it only after a yes", async (test) => {
    const place = newPlace(test)
    const env = { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", TERM: "dumb" }
    const terminal = place.onTerminal(`${program} setup`, { env })
    await answer(terminal, [
      [firstQuestion, "anthropic\r"],
      [keyQuestion, `${key}\r`],
      ["Use it anyway? [y/N] ", "n\r"],
      [firstQuestion, "anthropic\r"],
      [keyQuestion, `${key}\r`],
      ["Use it anyway? [y/N] ", "y\r"],
      [modelQuestion, "\r"],
    ])
    const { code, stdout } = await terminal.ended
    expect(stdout).toContain("The key could not be checked: it cannot be reached.")
    expect({ code, files: stored(place) }).toEqual({ code: 0, files: ["auth.json", "config.json"] })
  })

  it("names the variable of a key that the provider refuses", async (test) => {
    const place = newPlace(test)
    const { env } = await vendor(test)
    const terminal = place.onTerminal(`${program} setup`, { env: { ...env, ANTHROPIC_API_KEY: "sk-old-0123456789" } })
    await answer(terminal, [
      [firstQuestion, "anthropic\r"],
      ["refuses the key of ANTHROPIC_API_KEY", ""],
      [firstQuestion, "\u0004"],
    ])
    expect(await terminal.ended).toMatchObject({ code: 2, stdout: expect.stringContaining("no provider was chosen") })
    expect(stored(place)).toEqual([])
  })

  const anthropic = [firstQuestion, "anthropic\r"] as const
  it.for([
    ["the provider", [[firstQuestion, "\u0003"]]],
    [
      "the address of a server",
      [
        [firstQuestion, "server\r"],
        ["/v1: ", "\u0003"],
      ],
    ],
    [
      "the way to log in",
      [
        [firstQuestion, "openrouter\r"],
        ["API key [1]: ", "\u0003"],
      ],
    ],
    ["the key", [anthropic, [keyQuestion, "sk-half\u0003"]]],
    ["the model", [anthropic, [keyQuestion, `${key}\r`], [modelQuestion, "\u0003"]]],
    ["a model in no list", [anthropic, [keyQuestion, `${key}\r`], [modelQuestion, "x1\r"], ["[y/N] ", "\u0003"]]],
  ] as const)("writes nothing if Ctrl-C answers the question for %s", async ([, dialogue], test) => {
    const place = newPlace(test)
    const { env } = await vendor(test)
    const terminal = place.onTerminal(`${program} setup`, { env })
    await answer(terminal, dialogue)
    const { code, stdout } = await terminal.ended
    expect(stdout).toContain("interrupted; nothing was changed")
    expect({ code, files: stored(place) }).toEqual({ code: 130, files: [] })
  })

  it("stops a check of a key with Ctrl-C", async (test) => {
    const place = newPlace(test)
    const silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1")
    test.onTestFinished(() => void silent.close())
    await once(silent, "listening")
    const address = silent.address()
    const env = {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
      TERM: "dumb",
    }
    const terminal = place.onTerminal(`${program} setup --provider anthropic`, { env })
    const asked = once(silent, "connection")
    await answer(terminal, [[keyQuestion, `${key}\r`]])
    await asked
    terminal.write("\u0003")
    expect((await terminal.ended).code).toBe(130)
    expect(stored(place)).toEqual([])
  })
})

describe.concurrent("setup in a pipe", () => {
  it("sets a model and stores a key from standard input, which is redacted everywhere", async (test) => {
    const place = newPlace(test)
    const { env } = await vendor(test, { replies: [{ blocks: [{ text: `Your key is ${key}.` }], times: "always" }] })
    const args = ["setup", "--provider", "anthropic", "--key-stdin"]
    const set = await place.start(args, { env, input: `\n ${key}\n` }).ended
    expect(set).toMatchObject({ code: 0, stdout: "" })
    expect(set.stderr).toContain("anthropic accepts the key.")
    expect(set.stderr).not.toContain(key)
    expect(JSON.parse(configText(place))).toEqual({ model: "anthropic/claude-sonnet-5" })
    const { stdout } = await place.start(["run", "hello"], { env }).ended
    expect(stdout).toMatch(/^Your key is ‹redacted:login\.anthropic:[0-9a-f]{4}›\.\n$/)
    expect((await place.run("setup", "-m", "claude-opus-5")).code).toBe(0)
    expect(JSON.parse(configText(place))).toEqual({ model: "anthropic/claude-opus-5" })
  })

  it.for([
    [["--model", "offline/demo"], "offline/demo"],
    [["--provider", "offline"], "offline/demo"],
    [["--model", "tools:cloud:large"], "tools:cloud:large"],
    [["--provider", "ollama", "--model", "library/qwen3:8b"], "ollama/library/qwen3:8b"],
  ] as const)("%j needs no key and sets %s", async ([args, model], test) => {
    const place = newPlace(test)
    expect((await place.run("setup", ...args)).code).toBe(0)
    expect(JSON.parse(configText(place))).toEqual({ model })
  })

  it.for([
    [["setup"], "", 2, "there is no terminal to ask on. Name what to set: turnhouse setup --provider"],
    [["setup", "--key-stdin"], key, 2, "Name what to set"],
    [["setup", "--provider", "antropic"], "", 2, 'no provider named "antropic". Did you mean anthropic?'],
    [["setup", "--provider", ""], "", 2, "need a name"],
    [["setup", "--model", "nowhere/x"], "", 2, 'model "nowhere/x"'],
    [["setup", "--model", "anthropic/two words"], "", 2, "the name of a model has no spaces"],
    [["setup", "--provider", "anthropic"], "", 2, "With --key-stdin the key is read from standard input."],
    [["setup", "--provider", "nvidia", "--key-stdin"], key, 2, "nvidia has no default model. Name one with --model"],
    [["setup", "--provider", "anthropic", "--key-stdin"], "wrong-0123456789", 1, "anthropic refuses this key."],
    [["setup", "--provider", "anthropic", "--key-stdin"], "two words", 2, "a key has no spaces"],
    [["setup", "--provider", "anthropic", "--key-stdin"], "", 2, "the key is empty"],
  ] as const)("refuses %j with the input %j", async ([args, input, code, message], test) => {
    const place = newPlace(test)
    const { env } = await vendor(test)
    const ended = await place.start([...args], { env, input }).ended
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect(stored(place)).toEqual([])
  })

  it("leaves a configuration with a syntax error alone, and names the place", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "config.json"), '{ "model": ')
    const { code, stderr } = await place.run("setup", "--model", "offline/demo")
    expect(stderr).toMatch(/config\.json:1:\d+: /)
    expect({ code, text: configText(place) }).toEqual({ code: 2, text: '{ "model": ' })
  })

  it("says what a read-only home prevents", async (test) => {
    needPackage("bwrap", "bubblewrap")
    const place = newPlace(test)
    const readOnly = ["--dev-bind", "/", "/", "--ro-bind", place.home, place.home]
    const args = [...readOnly, program, "setup", "--model", "offline/demo"]
    const { code, stderr } = await place.startOther("bwrap", args).ended
    expect(stderr).toContain(`The home folder ${place.home} cannot be used: the file system is read-only.`)
    expect({ code, isThere: existsSync(join(place.home, "config.json")) }).toEqual({ code: 2, isThere: false })
  })
})
