// Cost of hooks: a tool call without an extension, a round trip to an extension in Node against a bare pipe with the same
// bytes, and the start of ten extensions against one. Every number is measured in this run; bounds are printed beside it,
// and the exit code is 1 when one is missed. Run: node bench/hooks.ts
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { discover, type Discovered } from "../src/hooks/discovery/discover.ts"
import { ExtensionHost } from "../src/hooks/extension-host.ts"
import { ExtensionMemory } from "../src/hooks/memory.ts"
import type { SessionHooks } from "../src/hooks/session-hooks.ts"
import { ProcessSupervisor } from "../src/processes/process-supervisor.ts"
import { beforeToolCall } from "../src/protocols/extension/hook-events.ts"
import { encodeRequest } from "../src/protocols/json-rpc.ts"
import { contentFrame } from "../src/transports/framing/content-length.ts"
import { unconfined } from "../src/hooks/process/plugin-sandbox.ts"
import { writeExtension } from "./doors/extension.ts"

const calls = 2000
const quietCalls = 200_000
const tool = { name: "bash", runtimeName: "bash", input: { command: "git status --short", timeout: 30 } }
const output = "M src/index.ts\n".repeat(40)
const session = "01890000-0000-7000-8000-000000000001"

await runAll()

async function runAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
  try {
    const quietUs = 1000 * (await withHooks(folder, 0, (hooks) => meanMs(quietCalls, () => wholeCall(hooks))))
    const bareMs = await barePipe()
    const hookMs = await withHooks(folder, 1, (hooks) => medianMs(calls, () => hooks.beforeToolCall(tool, session)))
    const one = await start(folder, 1)
    const ten = await start(folder, 10)
    console.log(`both hooks of a call, no extension    ${quietUs.toFixed(2).padStart(9)} us  (bound: under 20)`)
    console.log(`bare pipe, same bytes, median         ${bareMs.toFixed(3).padStart(9)} ms`)
    console.log(`one hook of one extension, median     ${hookMs.toFixed(3).padStart(9)} ms  (bound: under 1)`)
    console.log(`  against the bare pipe               ${(hookMs / bareMs).toFixed(2).padStart(9)} times as long`)
    console.log(
      `  against a call without extension    ${((1000 * hookMs) / quietUs).toFixed(0).padStart(9)} times as long`,
    )
    console.log(`one extension loads in                ${one.loadMs.toFixed(0).padStart(9)} ms`)
    console.log(`ten extensions load in                ${ten.loadMs.toFixed(0).padStart(9)} ms`)
    console.log(
      `  against sequential loading          ${(ten.loadMs / (10 * one.loadMs)).toFixed(2).padStart(9)} times  (bound: under 1)`,
    )
    console.log(`  the caller continues after          ${ten.blockedMs.toFixed(2).padStart(9)} ms  (bound: under 5)`)
    console.log(`  longest pause of the event loop     ${ten.pauseMs.toFixed(1).padStart(9)} ms`)
    const kept = quietUs < 20 && hookMs < 1 && ten.loadMs < 10 * one.loadMs && ten.blockedMs < 5
    console.log(kept ? "all bounds met" : "a bound was missed")
    process.exitCode = kept ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function wholeCall(hooks: SessionHooks): Promise<void> {
  await hooks.beforeToolCall(tool, session)
  await hooks.afterToolCall(tool, output, session)
}

async function withHooks<Value>(folder: string, count: number, work: (hooks: SessionHooks) => Promise<Value>) {
  const processes = new ProcessSupervisor(`bench-${process.pid}-${count}-${Date.now()}`)
  const host = new ExtensionHost({
    processes,
    release: "bench",
    alarm: console.error,
    debug: () => {},
    services: services(folder),
  })
  const found = plugins(folder, count)
  const hooks = host.enter(session, () => ({
    found,
    failClosed: [],
    disabled: [],
    shared: [],
    canaries: {},
    starter: unconfined,
  }))
  hooks.begin(session)
  await hooks.ready()
  try {
    return await work(hooks)
  } finally {
    await host.close()
    await processes.close()
  }
}

async function start(folder: string, count: number): Promise<{ loadMs: number; blockedMs: number; pauseMs: number }> {
  const processes = new ProcessSupervisor(`bench-start-${process.pid}-${count}`)
  const host = new ExtensionHost({
    processes,
    release: "bench",
    alarm: console.error,
    debug: () => {},
    services: services(folder),
  })
  const found = plugins(folder, count)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const began = performance.now()
  const hooks = host.enter(session, () => ({
    found,
    failClosed: [],
    disabled: [],
    shared: [],
    canaries: {},
    starter: unconfined,
  }))
  const blockedMs = performance.now() - began
  await hooks.ready()
  const loadMs = performance.now() - began
  delay.disable()
  const loaded = hooks.statuses.filter(({ health }) => health === "running").length
  await host.close()
  await processes.close()
  if (loaded !== count) throw new Error(`only ${loaded} of ${count} extensions were loaded`)
  return { loadMs, blockedMs, pauseMs: delay.max / 1e6 }
}

function services(folder: string) {
  return { memory: new ExtensionMemory(folder), configFolder: folder, now: Date.now, scrub: (text: string) => text }
}

function plugins(folder: string, count: number): Discovered {
  const root = mkdtempSync(join(folder, "plugins-"))
  for (let number = 0; number < count; number++) writeExtension(root, `extension-${number}`)
  const { env } = process
  const none = { passedVariables: [], dataRoot: "", disabled: [], guards: [], configFolders: [], commonConfig: "" }
  return discover({ roots: [root], env, cwd: folder, ...none })
}

/** A Node process that echoes its input. */
async function barePipe(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "process.stdin.on('data', (chunk) => process.stdout.write(chunk))"], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const bytes = contentFrame(encodeRequest(1, "hook.handle", beforeToolCall(tool, session)))
  let answered = Promise.withResolvers<void>()
  let left = 0
  child.stdout.on("data", (chunk: Uint8Array) => {
    left -= chunk.length
    if (left === 0) answered.resolve()
  })
  const echo = () => {
    answered = Promise.withResolvers<void>()
    left = bytes.length
    child.stdin.write(bytes)
    return answered.promise
  }
  await echo()
  const median = await medianMs(calls, echo)
  child.kill()
  return median
}

async function meanMs(count: number, work: () => Promise<unknown>): Promise<number> {
  for (let warm = 0; warm < count / 10; warm++) await work()
  const began = performance.now()
  for (let call = 0; call < count; call++) await work()
  return (performance.now() - began) / count
}

async function medianMs(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < count; call++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[count >> 1] ?? NaN
}
