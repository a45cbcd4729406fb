// Settings of the web tools, with pages on loopback.
import { expect } from "vitest"
import { webServer } from "../../src/tools/web/fixtures/web-server.ts"
import type { SettingTests } from "./setting-tests.ts"

export const webSettings: SettingTests = {
  "web.allowPrivate": async (world) => {
    const server = await webServer((_, response) => void response.end("inside"))
    const fetching = (allowPrivate: string[]) =>
      world.call(
        { model: world.calls("web_fetch", { url: `http://127.0.0.1:${server.port}/` }), web: { allowPrivate } },
        { preset: "trusting" },
      )
    expect(await fetching([])).toMatch(/^failed: .* 127\.0\.0\.1 is not a public address/)
    expect(server.requests).toEqual([])
    expect(await fetching([`127.0.0.1:${server.port}`])).toMatch(/^done: .*inside$/s)
  },
}
