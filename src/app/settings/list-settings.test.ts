import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { Config } from "../../contract/config.ts"
import { openRedactor } from "../secrets/home-secrets.ts"
import { listSettings } from "./list-settings.ts"

it("lists settings with their files, and shows nothing that is or may be a secret", async (test) => {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-settings-"))
  test.onTestFinished(() => rmSync(home, { recursive: true }))
  const config: Config = {
    model: "mock/any",
    providers: {
      mock: { type: "openai-compatible", baseURL: "http://127.0.0.1:1/v1", apiKey: "sk-planted-4711-0815" },
    },
    server: { auth: { mode: "jwt", secret: "planted secret of thirty-two characters" } },
    mcpServers: {
      shop: { command: "node", env: { SHOP_TOKEN: "planted-token-12345" }, args: ["sk-planted-4711-0815"] },
    },
  }
  const file = join(home, "config.json")
  writeFileSync(file, JSON.stringify(config))
  const lines = await listSettings({ home, cwd: home }, openRedactor(home, config))
  expect(lines).toContainEqual({ key: "model", value: '"mock/any"', files: [file] })
  expect(lines).toContainEqual({ key: "providers.mock.apiKey", value: "(set, not shown)", files: [file] })
  expect(lines.find(({ key }) => key === "mcpServers.shop.args")?.value).toContain("redacted")
  expect(JSON.stringify(lines)).not.toMatch(/planted/)
})
