import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { readSmallFile } from "./small-file.ts"

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "small-file-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe("a small file", () => {
  it("is read up to its limit", async () => {
    const path = join(newFolder(), "file")
    writeFileSync(path, "Grüße")
    expect(await readSmallFile(path, 7)).toBe("Grüße")
    expect(await readSmallFile(path, 6)).toBeUndefined()
  })

  it("is undefined for a folder, a pipe, a link loop, a missing or endless file, and bytes that are not text", async () => {
    const folder = newFolder()
    execFileSync("mkfifo", [join(folder, "pipe")])
    symlinkSync("loop", join(folder, "loop"))
    writeFileSync(join(folder, "bytes"), Buffer.from([0xff]))
    const paths = [folder, ...["pipe", "loop", "missing", "bytes"].map((name) => join(folder, name)), "/dev/zero"]
    for (const path of paths) expect(await readSmallFile(path, 100)).toBeUndefined()
  })
})
