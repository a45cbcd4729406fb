// For tests: a host whose sessions have extensions in this process with scripted answers.
import { setImmediate } from "node:timers/promises"
import type { JsonValue } from "../contract/values.ts"
import type { Handler } from "../hooks/bus/bus.ts"
import { systemClock, timing } from "../hooks/process/clock.ts"
import { missingGuard, type HostedExtension } from "../hooks/hosted-extension.ts"
import { SessionHooks } from "../hooks/session-hooks.ts"
import { HookKind, type HookEvent } from "../protocols/extension/frames.ts"
import { modeGate, hookGate } from "../runner/tools/gates.ts"
import type { HookSource } from "../runner/hooks/hook-points.ts"
import { denyGate, noPaths, noRules, policyGate, type PolicyRules } from "../features/approvals/effects/policy.ts"
import { history, testHost, testTool } from "./test-host.ts"
import { openMemoryLog, scriptedSource, type Part, type Step } from "./index.ts"

export const say = (text: string): Part => ({ text })
export const call = (tool: string, input: JsonValue = {}): Part => ({ call: { tool, input } })
export const continues = { action: "continue" }

export type Answers = Partial<Record<HookKind, JsonValue>>

/** An extension in this process with a fixed answer per hook. */
export function extension(id: string, answers: Answers, seen: HookEvent[] = [], isGuard = false): HostedExtension {
  const handlers = Object.entries(answers).map(([kind, value]): Handler => ({
    extension: id,
    kind: HookKind.parse(kind),
    tool: undefined,
    match: undefined,
    isGuard: isGuard && kind === "before_tool_call",
    mayReplace: true,
    handle: async (event) => {
      if (kind === "on_message_complete") await setImmediate() // slow enough for a tool to overtake it
      seen.push(event)
      return { kind: "result", value }
    },
  }))
  return {
    ...missingGuard(id, ""),
    isGuard,
    started: Promise.resolve({ kind: "started", tools: [], providers: [] }),
    handlers,
  }
}

export function watchingAll(seen: HookEvent[]): HostedExtension {
  return extension(
    "watcher",
    Object.fromEntries(HookKind.exclude(["on_usage"]).options.map((kind) => [kind, continues])),
    seen,
  )
}

export function sourceOf(...own: readonly HostedExtension[]): HookSource {
  const trees = new Map<string, SessionHooks>()
  return {
    enter: (rootId) => {
      const known =
        trees.get(rootId) ?? new SessionHooks({ own, shared: [], clock: systemClock, timing, debug: () => {} })
      trees.set(rootId, known)
      return known
    },
    leave: () => Promise.resolve(),
  }
}

export interface World {
  readonly script: readonly Step[]
  readonly extensions: readonly HostedExtension[]
  readonly rules?: Partial<PolicyRules>
  readonly approvalWaitMs?: number
}

export async function world({ script, extensions, rules, approvalWaitMs }: World, log = openMemoryLog(), pid = 1) {
  const ran: JsonValue[] = []
  const tools = [
    testTool("work", (input) => (ran.push(input), { outcome: "done", output: "worked" }), {
      problem: (input) => (input === null ? "The input must be an object." : undefined),
    }),
    testTool("break", () => ({ outcome: "failed", output: "no luck" })),
  ]
  const models = scriptedSource(script)
  const all = { ...noRules, ...rules }
  const gates = [modeGate, denyGate(all, noPaths), hookGate, policyGate(all, noPaths)]
  const change = { hooks: sourceOf(...extensions), gates, approvalWaitMs }
  const tested = await testHost(models, tools, change, log, pid)
  return { host: tested.host, log, crash: () => tested.crash(), ran, models }
}

export const workOnce: readonly Step[] = [[call("work", { n: 1 })], [say("Done.")]]

export async function resultsIn(log: Awaited<ReturnType<typeof world>>["log"], sessionId: string) {
  const ends = new Set(["tool.refused", "tool.ended", "tool.modified"])
  return (await history(log, sessionId)).filter(({ type }) => ends.has(type))
}
