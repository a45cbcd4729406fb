import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { FileMemory, type Fingerprint } from "./file-memory.ts"
import { memoryStore, removeMemory } from "./memory-store.ts"

const id = "0190b6a0-0000-7000-8000-000000000000"
const home = mkdtempSync(join(tmpdir(), "memory-store-"))
const folder = join(home, "read-files")
const file = join(folder, `${id}.jsonl`)
const print = (n: number): Fingerprint => ({ modified: BigInt(n), changed: 2n, size: 3n, hash: `hash${n}` })
/** As another host has it. */
const opened = () => new FileMemory(memoryStore(home, id))

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("what a session knows of files", () => {
  it("is known to the next host, the newest state of each file", () => {
    const memory = opened()
    memory.remember("/project/a.txt", print(1))
    memory.remember("/project/b.txt", { ...print(2), hash: undefined })
    memory.remember("/project/a.txt", print(3))
    expect(opened().recall("/project/a.txt")).toEqual(print(3))
    expect(opened().recall("/project/b.txt")).toEqual({ ...print(2), hash: undefined })
    expect(opened().recall("/project/c.txt")).toBeUndefined()
  })

  it("has no names, and only its owner can read it", () => {
    opened().remember("/project/secret-name.txt", print(1))
    expect(readFileSync(file, "utf8")).not.toContain("secret-name")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("survives a line that was cut off or damaged", () => {
    opened().remember("/a", print(1))
    appendFileSync(file, '{"key":"x","modified":"-1"}\nnull\n{"key":"')
    expect(opened().recall("/a")).toEqual(print(1))
  })

  it("keeps the newest 2,000 files in a bounded file", () => {
    const memory = opened()
    for (let n = 0; n < 4500; n += 1) memory.remember(`/f${n}`, print(n))
    expect(readFileSync(file, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(4000)
    expect(readdirSync(folder)).toEqual([`${id}.jsonl`])
    expect(opened().recall("/f4499")).toEqual(print(4499))
    expect(opened().recall("/f0")).toBeUndefined()
  })

  it("is deleted with the session", async () => {
    opened().remember("/a", print(1))
    await removeMemory(home, id)
    expect(opened().recall("/a")).toBeUndefined()
  })
})
