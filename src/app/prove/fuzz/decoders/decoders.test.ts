import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { OpenTarget } from "../fuzz-target.ts"
import { openTarget as openDocuments } from "./documents.ts"
import { openTarget as openEvents } from "./events.ts"
import { openTarget as openExtension } from "./extension.ts"
import { openTarget as openMcp } from "./mcp.ts"
import { openTarget as openStreams } from "./streams.ts"

interface Corpus {
  readonly cases: readonly { readonly name: string; readonly inputs: readonly string[] }[]
}

const openers: Readonly<Record<string, OpenTarget>> = {
  events: openEvents,
  documents: openDocuments,
  mcp: openMcp,
  extension: openExtension,
  streams: openStreams,
}
const withCases = ["events", "documents", "mcp", "streams"]

async function opened(name: string) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-decoders-"))
  const open = openers[name]
  if (open === undefined) throw new Error(`there is no target ${name}`)
  const target = await open({ folder })
  rmSync(folder, { recursive: true })
  return target
}

function casesOf(name: string): Corpus["cases"] {
  const { cases }: Corpus = JSON.parse(readFileSync(new URL(`../corpus/${name}.json`, import.meta.url), "utf8"))
  return cases
}

describe("a target of prove fuzz", () => {
  it.for(Object.keys(openers))("%s: its seeds are handled, and half of them or more are well-formed", async (name) => {
    const target = await opened(name)
    const handled: boolean[] = []
    for (const seed of target.seeds) handled.push(await target.run(seed))
    expect(handled.filter(Boolean).length).toBeGreaterThanOrEqual(target.seeds.length / 2)
  })

  it.for(withCases.flatMap((name) => casesOf(name).map((one) => ({ ...one, target: name }))))(
    "$target: $name",
    async ({ target, inputs }) => {
      const fed = await opened(target)
      for (const input of inputs) expect(await fed.run(Buffer.from(input))).toBeTypeOf("boolean")
    },
  )
})
