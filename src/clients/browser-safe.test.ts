// What a page loads: a client library and everything that it imports, without types. It must not use Node.
import { readFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const entries = ["ws/index.ts", "house/line-client.ts", "house/remote-port.ts", "session/session-link.ts"]
const source = new URL("..", import.meta.url)

/** Every module that is reachable, with its text as it runs. */
async function loaded(from: URL, known = new Map<string, string>()): Promise<Map<string, string>> {
  if (known.has(from.href)) return known
  const text = await readFile(fileURLToPath(from), "utf8")
  const code = from.href.endsWith(".ts") ? stripTypeScriptTypes(text) : text
  known.set(from.href, code)
  for (const name of importsIn(code)) await loaded(resolved(name, from), known)
  return known
}

function importsIn(code: string): readonly string[] {
  const found = code.matchAll(
    /^\s*(?:import|export)\s[^"'`;=(]*?\bfrom\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm,
  )
  return Array.from(found, ([, name, bare, lazy]) => name ?? bare ?? lazy ?? "")
}

function resolved(name: string, from: URL): URL {
  if (!name.startsWith("./") && !name.startsWith("../")) throw new Error(`${from.pathname} imports '${name}'`)
  return new URL(name, from)
}

describe.each(entries)("%s", (name) => {
  const entry = new URL(name, import.meta.url)

  it("imports no Node module and no package", async () => {
    const modules = await loaded(entry)
    expect(modules.size).toBeGreaterThan(3)
    expect([...modules.keys()].every((href) => href.startsWith(source.href))).toBe(true)
  })

  it("uses no Node global, and none that needs TLS", async () => {
    const plain = [...(await loaded(entry)).values()].map((code) =>
      code.replaceAll(/\/\/.*$/gm, "").replaceAll(/\/\*[\s\S]*?\*\//g, ""),
    )
    expect(plain.join("\n")).not.toMatch(/\b(?:process\.|Buffer\b|require\(|setImmediate|__dirname|randomUUID)/)
  })
})

it("detects forbidden imports", () => {
  const code =
    'import { a } from "./a.ts"\nimport fs from "node:fs"\nexport * from "zod"\nimport "./c.ts"\nconst x = import("./b.ts")'
  expect(importsIn(code)).toEqual(["./a.ts", "node:fs", "zod", "./c.ts", "./b.ts"])
  expect(() => resolved("node:fs", source)).toThrow("imports 'node:fs'")
})

it("keeps the WebSocket client under 100 kB", async () => {
  const modules = await loaded(new URL("ws/index.ts", import.meta.url))
  const bytes = [...modules.values()].reduce((sum, code) => sum + code.replaceAll(/\s+/g, " ").length, 0)
  expect(bytes).toBeLessThan(100_000)
})
