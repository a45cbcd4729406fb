// The examples of docs/identity.md work: its configurations, and how it signs the identity of a visitor.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parseConfigText } from "../../src/config/parse-config-text.ts"
import { checks } from "../../src/contract/generated/config.js"
import { signedVisitor } from "../../src/identity/embedding.ts"

const page = readFileSync(new URL("../../docs/identity.md", import.meta.url), "utf8")
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, text = ""]) => text)

describe("the page on identity", () => {
  it("shows valid configurations", async () => {
    expect(blocks("jsonc").length).toBeGreaterThan(1)
    for (const example of blocks("jsonc")) {
      const parsed = await parseConfigText(example)
      expect(parsed.kind === "value" && checks.config(parsed.value)).toBe(true)
    }
  })

  it("shows how a web site signs the identity of a visitor", async (test) => {
    const folder = mkdtempSync(join(tmpdir(), "turnhouse-page-"))
    test.onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "sign.mjs")
    writeFileSync(file, blocks("js")[0] ?? "")
    const { authContext } = await import(file)
    process.env["EMBED_KEY"] = "the key"
    test.onTestFinished(() => void delete process.env["EMBED_KEY"])
    expect(signedVisitor(authContext("ada"), "the key", Date.now())).toBe("ada")
    expect(signedVisitor(authContext("ada"), "another key", Date.now())).toBeUndefined()
  })
})
