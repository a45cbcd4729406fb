// A parent that, like real ones, decodes every chunk of the pipe separately, also when a character is split across two.
import { spawn } from "node:child_process"
import type { TestContext } from "vitest"
import { program, type Place } from "../e2e/place.ts"
import { checkedFrame } from "./checked-frame.ts"
import type { Frame } from "./wire.ts"

export async function decodedByChunk(
  test: Pick<TestContext, "onTestFinished">,
  place: Place,
  args: readonly string[],
  message: string,
): Promise<{ readonly frames: readonly Frame[]; readonly whole: string }> {
  const child = spawn(program, ["rpc", ...args], {
    cwd: place.folder,
    env: place.env,
    stdio: ["pipe", "pipe", "ignore"],
  })
  test.onTestFinished(() => void child.kill("SIGKILL"))
  let whole = ""
  child.stdout.on("data", (chunk: Buffer) => (whole += chunk.toString("utf8")))
  child.stdin.end(`${JSON.stringify({ type: "prompt", id: "1", message })}\n`)
  await new Promise<void>((resolve) => child.once("close", () => resolve()))
  const lines = whole.split("\n").filter((text) => text !== "")
  const frames = lines.map((text) => {
    const checked = checkedFrame({ kind: "line", text }, false)
    if (checked.kind === "wrong") throw new Error(checked.what)
    return checked.frame
  })
  return { frames, whole }
}
