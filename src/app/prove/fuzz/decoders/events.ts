// Stored events as a target: lines of a log. Each is refused with what is wrong with it, or it folds into all views of its
// session, whatever came before it.
import { isDeepStrictEqual } from "node:util"
import type { Recorded } from "../../../../contract/events.ts"
import { eventVersions } from "../../../../contract/generated/events.js"
import { decodeEvent, encodeEvent } from "../../../../contract/stored-event.ts"
import { measuresOf } from "../../../../projection/measures.ts"
import { contextItems } from "../../../../projection/context.ts"
import { emptyTranscript, foldTranscript } from "../../../../projection/transcript.ts"
import { foldUsage, noUsage } from "../../../../projection/usage.ts"
import { isDeeper } from "../../../../protocols/json-text.ts"
import { planCompaction } from "../../../../runner/compaction/plan-compaction.ts"
import { promptMessages } from "../../../../runner/prompt/prompt-messages.ts"
import { decodeSnapshot, encodeSnapshot, foldAll, noFolds, type SessionFolds } from "../../../../runner/snapshot.ts"
import { requiredEffects } from "../../../../session/required-effects.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { linesOf, quoted } from "./input-lines.ts"

/** Of one input. */
const MAX_EVENTS = 200
/** Deeper values are folded, and not compared: Node's comparison has no room for them. */
const MAX_DEPTH = 500
const WINDOW = 4000

const by = { principal: "you", door: "run" }
const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
const session = {
  type: "session.created",
  sessionId: "01a1e6bf-57c1-702e-9d9a-4e90f3c5caae",
  org: "local",
  owner: "you",
  toolMode: "Smart",
  limits: { stepsPerTurn: 200, depth: 5, children: 8 },
  budget: {},
  cwd: "/tmp",
  origin: "run",
  preset: "careful",
  model: "offline/demo",
}
const turn = [
  { type: "prompt.admitted", promptId: "prm_1", text: "hello", delivery: "next-turn", by },
  { type: "turn.started", turnId: "trn_1" },
  { type: "prompt.promoted", promptId: "prm_1", turnId: "trn_1" },
  { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "offline/demo" },
  { type: "reasoning.ended", stepId: "stp_1", block: 0, text: "first" },
  { type: "text.ended", stepId: "stp_1", block: 1, text: "I look." },
  { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "read", input: { path: "a.txt" } },
  { type: "response.ended", stepId: "stp_1", model: "offline/demo", finish: "tool-calls", usage, costUsd: 0 },
  { type: "tool.started", callId: "cal_1", class: "read", digest: "d", idempotencyKey: "cal_1" },
  { type: "tool.ended", callId: "cal_1", outcome: "done", output: "text" },
  { type: "step.ended", stepId: "stp_1" },
]
const ended = [
  { type: "step.started", stepId: "stp_2", turnId: "trn_1", model: "offline/demo" },
  { type: "text.ended", stepId: "stp_2", block: 0, text: "Done." },
  { type: "response.ended", stepId: "stp_2", model: "offline/demo", finish: "stop", usage, costUsd: 0 },
  { type: "step.ended", stepId: "stp_2" },
  { type: "turn.ended", turnId: "trn_1", reason: "done" },
]
const compaction = [
  { type: "compaction.started", compactionId: "cmp_1", why: "asked" },
  { type: "context.compacted", compactionId: "cmp_1", summary: "## Goal", upToSeq: 9 },
]

const seeds = [
  [session, ...turn, ...ended, ...compaction],
  [
    session,
    ...turn,
    { type: "shell.ended", shellId: "bash_1", command: "true", outcome: "exited", exitCode: 0 },
    ...compaction,
  ],
  [session, ...turn, ...ended, { type: "context.rewound", toSeq: 4, turns: 1, by }, { type: "context.cleared", by }],
].map((events) => Buffer.from(events.map((event, index) => stored(index + 1, event)).join("\n")))

/** Names of fields are those of the seeds and of the corpus. */
const words = [
  ...Object.keys(eventVersions),
  ..."prm_1 trn_1 stp_1 stp_2 cal_1 cmp_1 bash_1 apr_1 pln_1 seq at v type".split(" "),
]

function stored(seq: number, event: object): string {
  return JSON.stringify({ seq, at: 1_790_000_000_000 + seq, v: 1, ...event })
}

export function openTarget(): Promise<FuzzTarget> {
  const modules = [
    "contract/stored-event",
    "session/",
    "projection/",
    "features/",
    "runner/snapshot",
    "runner/prompt/",
    "runner/compaction/",
  ]
  return Promise.resolve({ name: "events", seeds, words, modules, run })
}

/** True if a line of it is an event. */
function run(input: Uint8Array): boolean {
  const events = linesOf(input).slice(0, MAX_EVENTS).flatMap(decoded)
  // a log numbers its events: a line with another number is damage that it reports itself
  const numbered = events.map((recorded, index) => ({ ...recorded, seq: index + 1 }))
  if (isDeeper(numbered, MAX_DEPTH)) folded(numbered)
  else if (numbered.length > 0) check(numbered)
  return numbered.length > 0
}

function decoded(line: string): readonly Recorded[] {
  const read = decodeEvent(line)
  if (read.kind === "broken" && read.what.trim() === "")
    throw new Finding("event", `damage has no name: ${quoted(line)}`)
  if (read.kind !== "event") return []
  const again = decodeEvent(encodeEvent(read.recorded))
  const isSame =
    again.kind === "event" &&
    (isDeeper(read.recorded, MAX_DEPTH) || isDeepStrictEqual(plain(again.recorded), plain(read.recorded)))
  if (!isSame) throw new Finding(read.recorded.event.type, `it is stored as another event: ${quoted(line)}`)
  return [read.recorded]
}

function check(events: readonly Recorded[]): void {
  const before = JSON.stringify(events)
  const folds = folded(events)
  if (JSON.stringify(events) !== before)
    throw new Finding(newest(events), "a fold has changed the events that it was given")
  const middle = Math.ceil(events.length / 2)
  const half = decodeSnapshot(encodeSnapshot(foldAll(noFolds(), events.slice(0, middle))))
  if (half === undefined) throw new Finding("snapshot", "a snapshot cannot be read again")
  const continued = foldAll(half, events.slice(middle))
  if (!isDeepStrictEqual(plain(continued), plain(folds)))
    throw new Finding(newest(events), "a session that continues from a snapshot differs from one that is read whole")
  checkPrompt(folds, newest(events))
}

function folded(events: readonly Recorded[]): SessionFolds {
  const folds = foldAll(noFolds(), events)
  events.reduce(foldTranscript, emptyTranscript())
  events.reduce(foldUsage, noUsage)
  measuresOf(events)
  requiredEffects(folds.state)
  return folds
}

/** Providers refuse a request in which a call has no result behind it. */
function checkPrompt({ context, state }: SessionFolds, event: string): void {
  const messages = promptMessages(contextItems(context), { system: "", takesPrefill: true })
  let open: readonly string[] = []
  for (const { role, content } of messages) {
    const parts = typeof content === "string" ? [] : content
    const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
    if (role === "tool" && !isDeepStrictEqual(results, open))
      throw new Finding(event, "results do not follow their calls")
    if (role !== "tool" && open.length > 0) throw new Finding(event, "a call is sent without its result")
    open = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
  }
  if (open.length > 0) throw new Finding(event, "a call is sent without its result")
  planCompaction(context, state.turn !== undefined, WINDOW)
}

function newest(events: readonly Recorded[]): string {
  return events.at(-1)?.event.type ?? "none"
}

/** As it is stored: without members that are undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
