// Runs an extension once as a host would: start, handshake, one call for each of its hooks, shutdown. Its requests are
// served from a temporary folder; that folder and all its processes are removed afterwards.
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock, timing } from "../../../hooks/process/clock.ts"
import type { ExtensionSpec } from "../../../hooks/discovery/discover.ts"
import { Extension, type Started } from "../../../hooks/process/extension.ts"
import type { Reply } from "../../../processes/rpc-process.ts"
import { ExtensionMemory } from "../../../hooks/memory.ts"
import type { PrepareStart } from "../../../hooks/process/plugin-sandbox.ts"
import { serveCall } from "../../../hooks/serve-calls.ts"
import { thisHost } from "../../../log/process-identity.ts"
import { ProcessSupervisor } from "../../../processes/process-supervisor.ts"
import { onSignals } from "../../signals.ts"
import { timed } from "../../timed.ts"
import { version } from "../../../program/program-files.ts"
import { tryModels, type ModelTrial } from "./model-trial.ts"
import { sampleCalls, type SampleCall } from "./sample-events.ts"
import type { Wait } from "./waiting.ts"
import { understood, type Understood } from "./understood.ts"

export interface HookTrial extends SampleCall {
  readonly reply: Reply
  readonly understood: Understood
  readonly ms: number
}

export interface Trial {
  readonly start: Started & { readonly ms: number }
  readonly hooks: readonly HookTrial[]
  readonly models: readonly ModelTrial[]
  readonly stopMs: number
  /** Methods of the host that it called, each once. */
  readonly asked: readonly string[]
  /** Its output on stderr, and on stdout between two frames. */
  readonly printed: readonly string[]
}

export interface TrialOptions {
  /** Call its models too, which may cost money. */
  readonly asksModels: boolean
  readonly prepare: PrepareStart
}

/** Methods in the report, at most. */
const MAX_METHODS = 20

export async function tryOut(spec: ExtensionSpec, { asksModels, prepare }: TrialOptions, wait: Wait): Promise<Trial> {
  const processes = new ProcessSupervisor(thisHost("ext-check").hostId)
  const folder = join(tmpdir(), `turnhouse-ext-check-${randomUUID()}`)
  const printed: string[] = []
  const calledMethods = new Set<string>()
  const services = {
    memory: new ExtensionMemory(folder),
    configFolder: folder,
    now: Date.now,
    scrub: (text: string) => text,
  }
  const extension = new Extension(spec, {
    processes,
    owner: "check",
    release: version(),
    clock: systemClock,
    timing,
    serve: (call) => {
      if (calledMethods.size < MAX_METHODS) calledMethods.add(call.method)
      return serveCall(spec, call, services)
    },
    notice: () => {},
    debug: (line) => void printed.push(line),
    prepare,
  })
  const cleanUp = () => rmSync(folder, { recursive: true, force: true })
  const stopListening = onSignals((number) => {
    cleanUp()
    process.exit(128 + number) // its processes end with this process
  })
  try {
    const waitLabel = `the answer to initialize, at most ${timing.initializeMs / 1000} s`
    const { value: started, ms } = await wait(waitLabel, () => timed(() => extension.start()))
    const hooks = started.kind === "started" ? await callHooks(extension, wait) : []
    const { providers } = started.kind === "started" ? started : { providers: [] }
    const models = await tryModels(extension, providers, asksModels, wait)
    const { ms: stopMs } = await wait("its end after shutdown", () => timed(() => extension.stop()))
    return { start: { ...started, ms }, hooks, models, stopMs, asked: [...calledMethods], printed }
  } finally {
    await extension.stop()
    await processes.close()
    cleanUp()
    stopListening()
  }
}

/** Each is sent once. If the extension crashes, the report shows it, and the next call restarts it. */
async function callHooks(extension: Extension, wait: Wait): Promise<readonly HookTrial[]> {
  const { subscriptions, permissions } = extension.spec
  const trials: HookTrial[] = []
  for (const sample of sampleCalls(subscriptions)) {
    const limit = { ms: timing.hookMs, from: "written", once: true } as const
    const ask = () => timed(() => extension.request("hook.handle", sample.event, limit))
    const { value: reply, ms } = await wait(`its answer to ${sample.event.kind}, at most ${limit.ms / 1000} s`, ask)
    trials.push({ ...sample, reply, ms, understood: understood(sample.event.kind, reply, permissions) })
  }
  return trials
}
