// `login` and `logout` of the real program.
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { object } from "../e2e/printed.ts"
import { startOAuthServer } from "../oauth-server.ts"
import { startProviderServer } from "../provider-server/server.ts"

const key = "sk-stored-0123456789-secret"

describe.concurrent("login", () => {
  it("stores a key that sessions then use, shows no value of it, and logout removes it", async (test) => {
    const place = newPlace(test)
    const server = await startProviderServer({
      replies: [{ blocks: [{ text: `Your key is ${key}.` }], times: "always" }],
    })
    test.onTestFinished(() => server.close())
    place.config({ model: "mine/a", providers: { mine: { type: "openai-compatible", baseURL: `${server.url}/v1` } } })
    const stored = await place.start(["login", "mine", "--key-stdin", "--no-check"], { input: `${key}\n` }).ended
    expect({ code: stored.code, stdout: stored.stdout }).toEqual({ code: 0, stdout: "" })
    expect(statSync(join(place.home, "auth.json")).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(place.home, "config.json"), "utf8")).not.toContain(key)
    const ran = await place.run("run", "hello")
    expect(server.requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`)
    expect(ran.stdout).toMatch(/^Your key is ‹redacted:login\.mine:[0-9a-f]{4}›\.\n$/)
    const listed = await place.run("login", "--list", "--json")
    expect(object(listed.stdout)["logins"]).toMatchObject([{ provider: "mine", kind: "key" }])
    expect(listed.stdout + (await place.run("login", "--list")).stdout + stored.stderr).not.toContain(key)
    expect((await place.run("logout", "mine")).code).toBe(0)
    expect((await place.run("login", "--list")).stdout).toBe("Nothing is stored.\n")
    expect((await place.run("logout", "mine")).code).toBe(1)
  })

  it("logs in with a browser on another device", async (test) => {
    const place = newPlace(test)
    const server = await startOAuthServer()
    test.onTestFinished(() => server.close())
    const login = { deviceUrl: `${server.url}/device`, tokenUrl: `${server.url}/token`, clientId: "client-1" }
    place.config({ providers: { mine: { type: "openai-compatible", baseURL: `${server.url}/v1`, login } } })
    const { code, stderr } = await place.run("login", "mine")
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("enter the code ABCD-1234:\n\n  https://example.com/device\n"),
    })
    const { logins } = object((await place.run("login", "--list", "--json")).stdout)
    expect(logins).toMatchObject([{ provider: "mine", kind: "oauth", expiresAt: expect.any(String) }])
  })

  it("checks a key and does not store one that the provider refuses", async (test) => {
    const place = newPlace(test)
    const server = await startOAuthServer()
    test.onTestFinished(() => server.close())
    place.config({ providers: { mine: { type: "openai-compatible", baseURL: `${server.url}/v1` } } })
    const refused = await place.start(["login", "mine", "--key-stdin"], { input: key }).ended
    expect(refused).toMatchObject({ code: 1, stderr: "turnhouse: mine refuses this key. Nothing was stored.\n" })
    server.validTokens.add(key)
    const accepted = await place.start(["login", "mine", "--key-stdin"], { input: key }).ended
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining("mine accepts the key.\n") })
  })

  it("says when another key hides the stored one", async (test) => {
    const env = { ANTHROPIC_API_KEY: "another-key-0123456789" }
    const { stderr } = await newPlace(test).start(["login", "anthropic", "--key-stdin", "--no-check"], {
      env,
      input: key,
    }).ended
    expect(stderr).toContain("ANTHROPIC_API_KEY is set and is used instead of the stored login.")
  })

  it.for([
    [["login"], "", "name a provider: turnhouse login PROVIDER"],
    [
      ["login", "anthropic"],
      "",
      "there is no terminal to paste the key into. Send it on standard input with --key-stdin.",
    ],
    [["login", "antropic", "--key-stdin"], "x", 'no provider named "antropic". Did you mean anthropic?'],
    [["login", "anthropic", "--key-stdin"], " \n", "the key is empty. Nothing was stored."],
    [["login", "anthropic", "--key-stdin"], "two words here", "a key has no spaces or control characters."],
    [["login", "anthropic", "--key-stdin"], "short", "a key has 8 to 8192 characters."],
    [["login", "anthropic", "--json"], "", "--json needs --list"],
    [["logout"], "", "name a provider"],
  ] as const)("refuses %j with the input %j", async ([args, input, reason], test) => {
    const place = newPlace(test)
    expect(await place.start([...args], { input }).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason),
    })
    expect((await place.run("login", "--list")).stdout).toBe("Nothing is stored.\n")
  })

  it("names a damaged file and leaves it alone", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "auth.json"), "{")
    for (const args of [["login", "--list"], ["models"], ["run", "hi"]]) {
      expect(await place.run(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("auth.json is damaged. Remove it, then log in again"),
      })
    }
    expect((await place.run("doctor")).stdout).toContain("auth.json is damaged")
  })
})
