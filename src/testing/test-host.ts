// For tests: a host on a log in memory with a scripted model and the tools of the test. Everything between command and log
// is real.
import type { EventOf, EventType, SessionEvent } from "../contract/events.ts"
import type { JsonValue } from "../contract/values.ts"
import { SessionHost, type HostServices } from "../host/session-host.ts"
import type { NewSession } from "../host/open-sessions.ts"
import type { EventLog } from "../log/event-log.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import type { ModelSource } from "../models/model-source.ts"
import type { Tool, ToolContext, ToolResult } from "../tools/tool.ts"
import { Ledger } from "../features/budget/effects/ledger.ts"
import { modeGate } from "../runner/tools/gates.ts"
import { denyGate, noPaths, noRules, policyGate } from "../features/approvals/effects/policy.ts"
import type { WatchItem } from "../contract/host-port.ts"
import type { Opened } from "../runner/open-session.ts"
import type { SessionActor } from "../runner/session-actor.ts"

export const you = { principal: "you", door: "test" }

export interface TestHost {
  readonly host: SessionHost
  readonly log: EventLog
  /** The host dies: it releases nothing but its lease, so that another host can take over. */
  crash(): Promise<void>
}

export async function testHost(
  models: ModelSource,
  tools: readonly Tool[] = [],
  change: Partial<HostServices> = {},
  log: EventLog = openMemoryLog(),
  pid = 1,
): Promise<TestHost> {
  let ids = 0
  const registered = await log.registerHost({
    hostId: `h${Math.random()}`,
    role: change.node === undefined ? "test" : "serve",
    pid,
    startTime: "1",
    bootId: "b",
    node: change.node,
  })
  if (registered.kind === "refused") throw new Error(registered.refusal.code)
  const host = new SessionHost(log, registered.value, {
    now: Date.now,
    newId: () => `${registered.value.epoch}x${(ids += 1)}`,
    models,
    tools,
    gates: [modeGate, denyGate(noRules, noPaths), policyGate(noRules, noPaths)],
    ledger: new Ledger(),
    scrubber: {
      text: (text) => text,
      json: (value) => value,
      stream: () => ({ push: (piece) => piece, end: () => "" }),
    },
    digestKey: new Uint8Array(32),
    leaveSession: async () => {},
    toolEnv: {},
    approvalWaitMs: undefined,
    sweep: async (found) => found.map(() => "It was gone."),
    warn: () => {},
    ...change,
  })
  return { host, log, crash: async () => void (await log.releaseHost(registered.value)) }
}

export const plainSession: NewSession = {
  origin: "test",
  org: "local",
  owner: "you",
  preset: "trusting",
  cwd: "/",
  model: "m",
  toolMode: "Smart",
  limits: { stepsPerTurn: 20, depth: 2, children: 2 },
  budget: {},
}

export function newSession(host: SessionHost, change: Partial<NewSession> = {}): Promise<SessionActor> {
  return sessionIn(host.create({ ...plainSession, ...change }))
}

export function reopen(host: SessionHost, sessionId: string): Promise<SessionActor> {
  return sessionIn(host.open(sessionId))
}

async function sessionIn(opening: Promise<Opened>): Promise<SessionActor> {
  const opened = await opening
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.session
}

let prompts = 0

export async function prompt(session: SessionActor, text: string, ifBusy: "wait" | "steer" = "wait"): Promise<void> {
  prompts += 1
  const sent = await session.send({ type: "prompt", promptId: `prm_${prompts}`, text, ifBusy }, you)
  if (sent.kind === "refused") throw new Error(sent.refusal.code)
}

/** The next event of a type that comes after this call. */
export function next<Type extends EventType>(
  session: SessionActor,
  type: Type,
  fits: (event: EventOf<Type>) => boolean = () => true,
): Promise<EventOf<Type>> {
  return new Promise((resolve, reject) => {
    const unwatch = session.watch((item: WatchItem) => {
      if (item.kind === "lost") reject(new Error(`lost: ${item.refusal.code}`))
      if (item.kind !== "event" || !isOf(item.recorded.event, type) || !fits(item.recorded.event)) return
      unwatch()
      resolve(item.recorded.event)
    })
  })
}

function isOf<Type extends EventType>(event: SessionEvent, type: Type): event is EventOf<Type> {
  return event.type === type
}

export async function turn(session: SessionActor, text: string): Promise<EventOf<"turn.ended">> {
  const ended = next(session, "turn.ended")
  await prompt(session, text)
  return ended
}

export async function history(log: EventLog, sessionId: string): Promise<readonly SessionEvent[]> {
  const read = await log.read(sessionId, 0, 100_000)
  if (read.kind === "refused") throw new Error(read.refusal.code)
  return read.value.map(({ event }) => event)
}

export function testTool(
  name: string,
  run: (input: JsonValue, context: ToolContext) => Promise<ToolResult> | ToolResult,
  change: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: name,
    class: "unsafe",
    inputSchema: { type: "object" },
    problem: () => undefined,
    resources: () => [],
    prepare: async (input, context) => ({ run: async () => run(input, context), abandon: () => {} }),
    ...change,
  }
}
