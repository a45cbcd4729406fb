// The tools of simulated sessions: one of each class. Their effects are recorded outside of the session. A call ends
// with its host, at any moment of its run.
import type { ToolClass } from "../../../contract/values.ts"
import { todoTool } from "../../../features/tasks/tools.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "../../../tools/tool.ts"
import type { Scheduler, SimulatedProcess } from "./scheduler.ts"

export interface ToolEffect {
  readonly callId: string
  readonly key: string
}

/** What the faults of a session see of a call. */
export interface ToolObserver {
  /** The start is stored, and there was no effect yet. */
  beforeEffect(host: SimulatedProcess): void
  /** There was an effect, and no result yet. */
  afterEffect(host: SimulatedProcess): void
}

export interface ToolWorld {
  readonly scheduler: Scheduler
  readonly effects: ToolEffect[]
  readonly observer: ToolObserver
}

/** Those that have an effect. */
export const actingTools: ReadonlySet<string> = new Set(["keep", "note", "risky"])

/** The configuration asks before this one. */
export const confirmedTool = "risky"

export function simulatedTools(world: ToolWorld): readonly Tool[] {
  const own = [tool("look", "read", world), tool("keep", "keyed", world), tool("note", "unsafe", world)]
  return [...own, tool(confirmedTool, "unsafe", world), todoTool()]
}

function tool(name: string, type: ToolClass, world: ToolWorld): Tool {
  return {
    name,
    description: `A tool of the simulation (${type}).`,
    class: type,
    inputSchema: { type: "object" },
    problem: () => undefined,
    resources: () => [],
    prepare: async (_input, context) => prepared(name, context, world),
  }
}

function prepared(name: string, context: ToolContext, world: ToolWorld): PreparedCall {
  return { run: () => run(name, context, world), abandon: () => {} }
}

/** Starts, has its effect after a while, and returns after another while. An abort ends it where it is. */
function run(name: string, { callId, idempotencyKey, signal }: ToolContext, world: ToolWorld): Promise<ToolResult> {
  const { scheduler, observer, effects } = world
  const host = scheduler.process
  return new Promise((resolve) => {
    const end = (result: ToolResult) => {
      if (!signal.aborted) resolve(result)
    }
    const act = () => {
      if (signal.aborted) return
      if (actingTools.has(name)) effects.push({ callId, key: idempotencyKey })
      scheduler.schedule(scheduler.between(0.2, 30), () => end({ outcome: "done", output: `${name} is done` }), host)
      if (actingTools.has(name)) observer.afterEffect(host)
    }
    signal.addEventListener("abort", () => resolve({ outcome: "failed", output: "It was cancelled." }), { once: true })
    scheduler.schedule(scheduler.between(0.2, 10), act, host)
    observer.beforeEffect(host)
  })
}
