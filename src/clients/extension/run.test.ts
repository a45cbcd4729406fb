import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { beforeMessage } from "../../protocols/extension/hook-events.ts"
import { encodeRequest } from "../../protocols/json-rpc.ts"
import { contentFrame } from "../../transports/framing/content-length.ts"

const noisy = fileURLToPath(new URL("./fixtures/noisy.ts", import.meta.url))
const greeting = { extension_protocol_version: 1, plugin_id: "noisy", config: {} }
const requests = [
  encodeRequest(1, "initialize", greeting),
  encodeRequest(2, "hook.handle", beforeMessage("hi", "s")),
  encodeRequest(3, "hook.handle", beforeMessage("again", "s")),
]
const answers = [
  '{"jsonrpc":"2.0","result":{"protocol_version":1,"capabilities":{}},"id":1}',
  '{"jsonrpc":"2.0","result":{"action":"continue"},"id":2}',
  '{"jsonrpc":"2.0","result":{"action":"continue"},"id":3}',
]

it.concurrent.for([
  ["asked to shut down", true],
  ["its input ends", false],
] as const)("prints only frames, and exits when %s", async ([, isTold], test) => {
  const child = spawn(process.execPath, [noisy], { stdio: "pipe" })
  test.onTestFinished(() => void child.kill("SIGKILL"))
  const exited = once(child, "exit")
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const bodies = isTold ? [...requests, encodeRequest(4, "shutdown", null)] : requests
  child.stdin.write(bodies.map(contentFrame).join(""))
  if (!isTold) child.stdin.end()
  const [stdout, stderr] = await printed
  const last = isTold ? ['{"jsonrpc":"2.0","result":{"ok":true},"id":4}'] : []
  expect(stdout).toBe([...answers, ...last].map(contentFrame).join(""))
  expect(stderr).toMatch(/^ready\nasked: hi\n[^]*not awaited[^]*bye\n$/)
  expect(await exited).toEqual([0, null])
})

it.concurrent("shuts down when its output is closed", async (test) => {
  const child = spawn(process.execPath, [noisy], { stdio: "pipe" })
  test.onTestFinished(() => void child.kill("SIGKILL"))
  const exited = once(child, "exit")
  const printed = text(child.stderr)
  child.stdout.destroy()
  child.stdin.write(requests.map(contentFrame).join(""))
  expect(await printed).toMatch(/\nbye\n[^]*EPIPE/)
  expect(await exited).toEqual([1, null])
})
