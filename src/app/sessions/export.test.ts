import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { encodeEvent } from "../../contract/stored-event.ts"
import { firstHash, nextHash } from "../../log/chain.ts"
import { exportHeader, exportSeal } from "../../log/export-file.ts"
import { readExport } from "./export.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"
const { privateKey } = generateKeyPairSync("ed25519")
let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-export-"))
  path = join(folder, "session.ndjson")
})
afterEach(() => rmSync(folder, { recursive: true }))

function linesOf(texts: readonly string[]): string[] {
  return texts.map((text, index) =>
    encodeEvent({ seq: index + 1, at: 1, event: { type: "text.ended", stepId: "stp_1", block: 0, text } }),
  )
}

function exportOf(lines: readonly string[]): string {
  const hash = lines.reduce(nextHash, firstHash(sessionId))
  return `${[exportHeader(sessionId), ...lines, exportSeal(sessionId, lines.length, hash, privateKey)].join("\n")}\n`
}

it("reads every event of an intact file, with any text", async () => {
  writeFileSync(path, exportOf(linesOf(["one", "a\u2028b\u2029c\r\nd", '{"seal":{}}'])))
  const { check, events, unreadable } = await readExport(path)
  expect(check).toMatchObject({ kind: "intact", sessionId })
  expect(events).toHaveLength(3)
  expect(unreadable).toBe(0)
})

it("reads the readable part of a damaged file and reports the damage", async () => {
  const [first = "", second = "", third = ""] = linesOf(["one", "two", "three"])
  const text = exportOf([first, second, third]).replace(second, second.slice(0, -4))
  writeFileSync(path, text)
  const { check, events, unreadable } = await readExport(path)
  expect(check).toMatchObject({ kind: "broken", line: 3 })
  expect(events.map(({ seq }) => seq)).toEqual([1, 3])
  expect(unreadable).toBe(1)
})

it("rejects a file that is not an export", async () => {
  writeFileSync(path, "hello\n")
  await expect(readExport(path)).rejects.toThrow("is not a readable export")
  await expect(readExport(join(folder, "nowhere"))).rejects.toThrow("is not a readable export")
})
