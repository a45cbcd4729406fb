import { mkdtempSync, rmSync, statSync, writeFileSync, chmodSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startOAuthServer, type OAuthServer } from "../../../spec/oauth-server.ts"
import { ModelUnavailable } from "../model-source.ts"
import { browserLogin, keyLogin } from "./browser-login.ts"
import { deviceLogin, type LoginSurroundings } from "./device-login.ts"
import { flowOf } from "./flows.ts"
import { homeLogins } from "./home-logins.ts"
import { changeLogins, keyOf, LoginFault, readLogins, type Login } from "./login-store.ts"

const root = mkdtempSync(join(tmpdir(), "turnhouse-logins-"))
afterAll(() => rmSync(root, { recursive: true }))
let home = ""
let server: OAuthServer
beforeAll(async () => {
  server = await startOAuthServer()
})
afterAll(() => server.close())
beforeEach(() => {
  home = mkdtempSync(join(root, "home-"))
})
afterEach(() => {
  server.grants.length = 0
  server.pending = []
  server.lifetime = 3600
})

const key: Login = { kind: "key", value: "sk-0123456789", savedAt: "2026-11-16T10:00:00Z" }

describe("the stored logins", () => {
  it("are in a file for its owner alone", async () => {
    await changeLogins(home, () => ({ anthropic: key }))
    expect(readLogins(home)).toEqual({ anthropic: key })
    expect(statSync(join(home, "auth.json")).mode & 0o777).toBe(0o600)
  })

  it("are closed to others again when they are read", async () => {
    await changeLogins(home, () => ({ anthropic: key }))
    chmodSync(join(home, "auth.json"), 0o644)
    readLogins(home)
    expect(statSync(join(home, "auth.json")).mode & 0o777).toBe(0o600)
  })

  it("keep every change of those made at once", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `p${at}`)
    await Promise.all(names.map((name) => changeLogins(home, (logins) => ({ ...logins, [name]: key }))))
    expect(Object.keys(readLogins(home)).toSorted()).toEqual(names)
  })

  it.each([
    "",
    "{",
    "[]",
    '{"version":2,"providers":{}}',
    '{"version":1,"providers":{"a":{"kind":"key"}}}',
    '{"version":1,"providers":{"a":{"kind":"oauth","access":"x"}}}',
  ])("that are damaged are refused and not overwritten: %j", async (text) => {
    writeFileSync(join(home, "auth.json"), text)
    expect(() => readLogins(home)).toThrow(LoginFault)
    await expect(changeLogins(home, (logins) => logins)).rejects.toThrow("is damaged. Remove it")
    expect(readFileSync(join(home, "auth.json"), "utf8")).toBe(text)
  })
})

/** A user whose browser opens each address at once. */
function surroundings(change: Partial<LoginSurroundings> = {}): LoginSurroundings & { shown: string[] } {
  const shown: string[] = []
  const show = (address: string, code = "") => {
    shown.push(`${address} ${code}`)
    if (address.startsWith(server.url)) void fetch(address)
  }
  return {
    fetch: globalThis.fetch,
    signal: new AbortController().signal,
    show,
    pause: async () => {},
    shown,
    ...change,
  }
}

const device = () =>
  ({
    kind: "device",
    deviceUrl: `${server.url}/device`,
    tokenUrl: `${server.url}/token`,
    clientId: "client-1",
    scope: "models",
  }) as const

describe("device authorization", () => {
  it("shows the code, waits until the user has typed it, and slows down when asked", async () => {
    server.pending = ["authorization_pending", "slow_down", "authorization_pending"]
    const pauses: number[] = []
    const user = surroundings({ pause: async (ms) => void pauses.push(ms) })
    expect(await deviceLogin(device(), user)).toMatchObject({
      access: expect.stringMatching(/^access-/),
      refresh: expect.any(String),
      expiresAt: expect.any(Number),
    })
    expect(user.shown).toEqual(["https://example.com/device ABCD-1234"])
    expect(pauses).toEqual([1000, 1000, 6000, 6000])
    expect(server.device).toEqual({ client_id: "client-1", scope: "models" })
  })

  it.each([
    ["access_denied", "the login was denied in the browser."],
    ["expired_token", "the code has expired."],
    ["invalid_grant", "the login was refused (invalid_grant)."],
  ])("ends with %s", async (error, sentence) => {
    server.pending = [error]
    await expect(deviceLogin(device(), surroundings())).rejects.toThrow(sentence)
  })

  it("names what to check when the program is not registered", async () => {
    await expect(deviceLogin({ ...device(), clientId: "other" }, surroundings())).rejects.toThrow(
      "refused (invalid_client). Check the client id",
    )
  })

  it("can be interrupted", async () => {
    const stop = new AbortController()
    const pause = async () => stop.abort(new Error("stopped"))
    await expect(deviceLogin(device(), surroundings({ signal: stop.signal, pause }))).rejects.toThrow("stopped")
  })
})

describe("a login in the browser", () => {
  const flow = () =>
    ({
      kind: "browser",
      authorizeUrl: `${server.url}/authorize`,
      tokenUrl: `${server.url}/token`,
      clientId: "client-1",
    }) as const

  it("exchanges the code for tokens, with the proof that it asked for it", async () => {
    const user = surroundings()
    expect(await browserLogin(flow(), user)).toMatchObject({ access: expect.stringMatching(/^access-/) })
    expect(user.shown[0]).toMatch(/redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A\d+%2Fcallback/)
    expect(server.grants).toEqual(["authorization_code"])
  })

  it("ignores answers with another state or path", async () => {
    const show = async (address: string) => {
      const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "")
      for (const path of ["/callback?code=x", "/callback?code=x&state=wrong", "/other?code=x"]) {
        expect((await fetch(new URL(path, back))).status).toBe(404)
      }
      expect((await fetch(`${back.origin}//`)).status).toBe(404)
      await fetch(address)
    }
    const login = browserLogin(flow(), surroundings({ show: (address) => void show(address) }))
    expect(await login).toMatchObject({ access: expect.stringMatching(/^access-/) })
  })

  it("can be denied", async () => {
    const show = (address: string) => {
      const { searchParams } = new URL(address)
      void fetch(`${searchParams.get("redirect_uri")}?error=access_denied&state=${searchParams.get("state")}`)
    }
    await expect(browserLogin(flow(), surroundings({ show }))).rejects.toThrow("denied in the browser")
  })

  it("can be interrupted", async () => {
    const stop = new AbortController()
    const show = () => stop.abort(new Error("stopped"))
    await expect(browserLogin(flow(), surroundings({ signal: stop.signal, show }))).rejects.toThrow("stopped")
  })

  it("gives a key where the provider has its own form of it", async () => {
    const keyFlow = { kind: "key", authorizeUrl: `${server.url}/authorize`, exchangeUrl: `${server.url}/keys` } as const
    expect(await keyLogin(keyFlow, surroundings())).toBe("sk-or-key-from-the-browser")
  })
})

describe("the flow of a provider", () => {
  it("is its own, or that of the configuration", () => {
    expect(flowOf("anthropic", undefined)).toBeUndefined()
    expect(flowOf("openrouter", undefined)).toMatchObject({ kind: "key", authorizeUrl: "https://openrouter.ai/auth" })
    expect(flowOf("huggingface", { clientId: "mine" })).toMatchObject({
      kind: "device",
      clientId: "mine",
      scope: "inference-api",
    })
    expect(flowOf("gateway", { clientId: "mine", tokenUrl: "https://a/t", authorizeUrl: "https://a/a" })).toMatchObject(
      { kind: "browser" },
    )
  })

  it.each([
    ["huggingface", {}, "providers.huggingface.login.clientId is missing"],
    ["gateway", { clientId: "x" }, "providers.gateway.login.tokenUrl is missing"],
    [
      "gateway",
      { clientId: "x", tokenUrl: "https://a/t" },
      "providers.gateway.login.deviceUrl or providers.gateway.login.authorizeUrl is missing",
    ],
  ])("of %s names what is missing in %j", (name, settings, sentence) => {
    expect(flowOf(name, settings)).toContain(sentence)
  })
})

describe("a token", () => {
  const models = () => `${server.url}/v1/models`

  async function loggedIn(): Promise<void> {
    const tokens = await deviceLogin(device(), surroundings())
    await changeLogins(home, () => ({
      gateway: { kind: "oauth", ...tokens, tokenUrl: `${server.url}/token`, clientId: "client-1", savedAt: "" },
    }))
    server.grants.length = 0
  }

  it("is sent as it is while it is valid", async () => {
    await loggedIn()
    const learned: string[] = []
    const asked = homeLogins(home).fetchFor("gateway", globalThis.fetch, (_, value) => learned.push(value))
    expect((await asked?.(models()))?.status).toBe(200)
    expect(server.grants).toEqual([])
    expect(learned).toEqual([keyOf(readLogins(home)["gateway"] ?? key)])
  })

  it("is renewed before it expires", async () => {
    server.lifetime = 30
    await loggedIn()
    server.lifetime = 3600
    const before = readLogins(home)["gateway"]
    const learned: string[] = []
    const asked = homeLogins(home).fetchFor("gateway", globalThis.fetch, (name, value) =>
      learned.push(`${name} ${value}`),
    )
    expect((await asked?.(models()))?.status).toBe(200)
    expect(server.grants).toEqual(["refresh_token"])
    const login = readLogins(home)["gateway"]
    expect(login).not.toEqual(before)
    if (login?.kind !== "oauth") throw new Error("no login")
    expect(learned).toEqual(expect.arrayContaining([`login.gateway ${login.access}`, `login.gateway ${login.refresh}`]))
  })

  it("that is refused is renewed once for all requests of all processes", async () => {
    await loggedIn()
    server.validTokens.clear()
    const others = [homeLogins(home), homeLogins(home)].map((logins) => logins.fetchFor("gateway", globalThis.fetch))
    const answers = await Promise.all([...others, ...others].map(async (asked) => asked?.(models())))
    expect(answers.map((response) => response?.status)).toEqual([200, 200, 200, 200])
    expect(server.grants).toEqual(["refresh_token"])
  })

  it("that cannot be renewed asks for a new login", async () => {
    await loggedIn()
    server.validTokens.clear()
    await changeLogins(home, () => ({
      gateway: {
        kind: "oauth",
        access: "x",
        refresh: "used",
        tokenUrl: `${server.url}/token`,
        clientId: "client-1",
        savedAt: "",
      },
    }))
    const asked = homeLogins(home).fetchFor("gateway", globalThis.fetch)
    const failed = asked?.(models())
    await expect(failed).rejects.toThrow(ModelUnavailable)
    await expect(failed).rejects.toThrow("the login has expired. Run 'turnhouse login gateway'.")
  })

  it("stays when the server cannot renew it at the moment", async () => {
    await loggedIn()
    server.validTokens.clear()
    const stored = readLogins(home)
    const busy: typeof fetch = async (input, init) =>
      input === `${server.url}/token` ? Response.json({}, { status: 503 }) : fetch(input, init)
    const failed = homeLogins(home).fetchFor("gateway", busy)?.(models())
    await expect(failed).rejects.toThrow("the login cannot be renewed at the moment (status 503). Try again later.")
    expect(readLogins(home)).toEqual(stored)
  })

  it("is not needed where a key is stored", async () => {
    await changeLogins(home, () => ({ anthropic: key }))
    expect(homeLogins(home).fetchFor("anthropic", globalThis.fetch)).toBeUndefined()
  })
})
