import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"

function echo() {
  const child = spawn(process.execPath, [fileURLToPath(new URL("fixtures/echo.ts", import.meta.url))])
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

describe("stdin and stdout", () => {
  it("carry lines, and no other output of the process", async () => {
    const child = echo()
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
    child.stdin.end("one\n\ntwo\r\n\u2028three")
    expect(await stdout).toBe("ready\none\n\ntwo\n%E2%80%A8three\nend\n")
    expect(await stderr).toBe("from console.log\nfrom process.stdout\n")
  })

  it("report that the reader is gone", async () => {
    const child = echo()
    child.stdin.on("error", () => {}) // it may be gone before the last write
    await once(child.stdout, "data")
    child.stdout.destroy()
    child.stdin.write("one\n".repeat(10_000))
    expect(await once(child, "exit")).toEqual([7, null])
  })
})
