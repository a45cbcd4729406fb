// What a page loads: the client and everything that it imports, without types. It must not use Node.
import { readFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const entry = new URL("./index.ts", import.meta.url)

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

it("imports no Node module and no package", async () => {
  const modules = await loaded(entry)
  expect(modules.size).toBeGreaterThan(10)
  expect([...modules.keys()].every((href) => href.startsWith(new URL("../..", entry).href))).toBe(true)
})

it("detects forbidden imports", () => {
  const code =
    'import { a } from "./a.ts"\nimport fs from "node:fs"\nexport * from "zod"\nimport "./c.ts"\nconst x = import("./b.ts")'
  expect(importsIn(code)).toEqual(["./a.ts", "node:fs", "zod", "./c.ts", "./b.ts"])
  expect(() => resolved("node:fs", entry)).toThrow("imports 'node:fs'")
})

it("uses no Node global, and none that needs TLS", async () => {
  const plain = [...(await loaded(entry)).values()].map((code) =>
    code.replaceAll(/\/\/.*$/gm, "").replaceAll(/\/\*[\s\S]*?\*\//g, ""),
  )
  expect(plain.join("\n")).not.toMatch(/\b(?:process|Buffer|require|setImmediate|__dirname|randomUUID)\b/)
})

it("is smaller than 100 kB", async () => {
  const modules = await loaded(entry)
  const bytes = [...modules.values()].reduce((sum, code) => sum + code.replaceAll(/\s+/g, " ").length, 0)
  expect(bytes).toBeLessThan(100_000)
})
