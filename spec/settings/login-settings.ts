// Settings of logins at providers: where a token comes from and what is asked for.
import { expect } from "vitest"
import { loadContext } from "../../src/app/context.ts"
import { loginByFlow, loginFlow } from "../../src/app/settings/logins.ts"
import type { Config } from "../../src/contract/config.ts"
import { readLogins } from "../../src/models/logins/login-store.ts"
import { startOAuthServer, type OAuthServer } from "../oauth-server.ts"
import type { SettingTests, Test } from "./setting-tests.ts"
import type { World } from "./world.ts"

type LoginSettings = NonNullable<NonNullable<Config["providers"]>[string]["login"]>

async function oauthServer(test: Test): Promise<OAuthServer> {
  const server = await startOAuthServer()
  test.onTestFinished(() => server.close())
  return server
}

/** Logs in with these settings; the browser opens each address at once. Returns what was shown. */
async function shownBy(world: World, server: OAuthServer, change: LoginSettings): Promise<string> {
  const login = { deviceUrl: `${server.url}/device`, tokenUrl: `${server.url}/token`, clientId: "client-1", ...change }
  world.write("home/config.json", JSON.stringify({ providers: { mine: { type: "openai-compatible", login } } }))
  const context = await loadContext({ home: world.home, cwd: world.cwd })
  let shown = ""
  const show = (address: string) => {
    shown = address
    if (address.startsWith(server.url)) void fetch(address)
  }
  const flow = loginFlow("mine", context)
  if (flow === undefined) throw new Error("no flow")
  const signal = new AbortController().signal
  await loginByFlow("mine", flow, { fetch: globalThis.fetch, signal, show, pause: async () => {} }, context)
  return shown
}

export const loginSettings: SettingTests = {
  "providers.<name>.login.deviceUrl": async (world, test) => {
    const [server, other] = [await oauthServer(test), await oauthServer(test)]
    await shownBy(world, server, { deviceUrl: `${other.url}/device` })
    expect([server.device, other.device]).toEqual([{}, { client_id: "client-1" }])
  },
  "providers.<name>.login.authorizeUrl": async (world, test) => {
    const server = await oauthServer(test)
    expect(await shownBy(world, server, {})).toBe("https://example.com/device")
    expect(await shownBy(world, server, { authorizeUrl: `${server.url}/authorize` })).toContain(
      `${server.url}/authorize?`,
    )
  },
  "providers.<name>.login.tokenUrl": async (world, test) => {
    const [server, other] = [await oauthServer(test), await oauthServer(test)]
    await shownBy(world, server, { tokenUrl: `${other.url}/token` })
    expect([server.grants.length, other.grants.length]).toEqual([0, 1])
    expect(readLogins(world.home)["mine"]).toMatchObject({ tokenUrl: `${other.url}/token` })
  },
  "providers.<name>.login.clientId": async (world, test) => {
    const server = await oauthServer(test)
    await expect(shownBy(world, server, { clientId: "unknown" })).rejects.toThrow("invalid_client")
    expect(await shownBy(world, server, {})).toBe("https://example.com/device")
  },
  "providers.<name>.login.scope": async (world, test) => {
    const server = await oauthServer(test)
    await shownBy(world, server, { scope: "models:read" })
    expect(server.device).toMatchObject({ scope: "models:read" })
  },
}
