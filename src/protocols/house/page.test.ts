import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { checkDelta } from "../../contract/generated/deltas.js"
import { checkRefusal } from "../../contract/generated/refusals.js"
import { decodeParsed } from "../../contract/stored-event.ts"
import type { ClientFrame, HostFrame } from "./frames.ts"
import { checkedCommand, checkedQuery, decodeClientFrame, decodeHostFrame } from "./codec.ts"

const page = readFileSync(new URL("../../../docs/house-wire.md", import.meta.url), "utf8")

function linesOf(side: "client" | "host"): string[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`ndjson ${side}\n(.*?)^\`\`\``, "gms"))]
  return blocks.flatMap(([, text = ""]) => text.trimEnd().split("\n"))
}

function clientFrames(): ClientFrame[] {
  return linesOf("client").map((line) => {
    const received = decodeClientFrame(line)
    if (received.kind === "bad") throw new Error(`${line}: ${received.problem}`)
    return received.frame
  })
}

function hostFrames(): HostFrame[] {
  return linesOf("host").map((line) => {
    const received = decodeHostFrame(line)
    if (received.kind === "bad") throw new Error(`${line}: ${received.problem}`)
    return received.frame
  })
}

/** Checks the content of a frame, and that its seq is the one of its event. */
function isSound(frame: HostFrame): boolean {
  if (frame.type === "delta") return checkDelta(frame.delta)
  if (frame.type === "refused" || frame.type === "closed") return checkRefusal(frame.refusal)
  if (frame.type !== "event") return true
  const decoded = decodeParsed(frame.event)
  return decoded.kind === "event" && decoded.recorded.seq === frame.seq
}

/** The values of a discriminating field in a generated schema. */
function namesIn(schema: string, tag: string): string[] {
  const text = readFileSync(new URL(`../../../spec/schemas/${schema}.json`, import.meta.url), "utf8")
  return [...text.matchAll(new RegExp(`"${tag}": \\{\\s*"type": "string",\\s*"const": "([^"]+)"`, "g"))].map(
    ([, name = ""]) => name,
  )
}

describe("the page on the house wire", () => {
  it("shows every frame of both sides", () => {
    const shown = [...clientFrames(), ...hostFrames()].map(({ type }) => type)
    expect([...new Set(shown)].toSorted()).toEqual([...new Set(namesIn("house-wire", "type"))].toSorted())
  })

  it("shows valid commands and queries, and every query", () => {
    const queries = clientFrames().flatMap((frame) => (frame.type === "query" ? [checkedQuery(frame.query)] : []))
    const commands = clientFrames().flatMap((frame) => (frame.type === "send" ? [checkedCommand(frame.command)] : []))
    expect([...queries, ...commands].filter(({ kind }) => kind === "bad")).toEqual([])
    const asked = queries.flatMap((checked) => {
      if (checked.kind === "bad") return []
      return checked.kind === "query" ? [checked.query.type] : [checked.command.type]
    })
    expect(asked.toSorted()).toEqual(namesIn("queries", "type").toSorted())
  })

  it("shows valid events, deltas and refusals", () => {
    expect(hostFrames().filter((frame) => !isSound(frame))).toEqual([])
    expect(hostFrames().length).toBeGreaterThan(15)
  })

  it("explains every refusal", () => {
    const explained = [...page.matchAll(/^\| `([a-z-]+\.[a-z-]+)` +\| +\S/gm)].map(([, code = ""]) => code)
    expect(explained.toSorted()).toEqual(namesIn("refusals", "code").toSorted())
  })
})
