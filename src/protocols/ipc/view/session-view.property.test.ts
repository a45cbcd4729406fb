// Random commands, model output and crashes, decided by the real kernel. One viewer is there from the beginning; others
// join at any moment, with the snapshot of that moment, and must end up with the same text.
import fc from "fast-check"
import { expect, it } from "vitest"
import type { SessionCommand } from "../../../contract/commands.ts"
import type { SessionEvent } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { foldReferences, noReferences } from "../../../features/references/references.ts"
import { foldStatus, noStatus } from "../../../projection/status.ts"
import { foldTasks, noTasks } from "../../../features/tasks/task-list.ts"
import { emptyTranscript, foldTranscript } from "../../../projection/transcript.ts"
import { decide } from "../../../session/decide.ts"
import { evolve, initialState } from "../../../session/evolve.ts"
import { created, stamp } from "../../../session/fixtures/given.ts"
import type { AnswerPart, RunnerReport } from "../../../session/report.ts"
import { isBusy, openCalls } from "../../../session/state.ts"
import { checks } from "../../../contract/generated/answers.js"
import type { SessionSnapshot } from "../../../contract/views/session-snapshot.ts"
import type { AgentMessage, DisplayMessage } from "../frames.ts"
import { openApprovals } from "../../../features/approvals/state.ts"
import { SessionView } from "./session-view.ts"

/** What one viewer was sent: the join messages, then everything else. */
class Viewer {
  readonly view: SessionView
  readonly frames: AgentMessage[]

  constructor(snapshot: SessionSnapshot, beginning: readonly WatchItem[]) {
    this.view = new SessionView(created.sessionId, snapshot)
    for (const item of beginning) this.view.encode(item, 0)
    this.frames = [...this.view.joinMessages()]
  }

  send(item: WatchItem): void {
    this.frames.push(...this.view.encode(item, 0))
  }
}

class World {
  readonly viewers: Viewer[]
  /** Only these are rewound to, not the points that a compaction makes. */
  readonly turnEnds = new Set<number>()
  state = initialState
  #streamed: { block: number; kind: "text" | "reasoning"; text: string }[] = []
  #status = noStatus
  #tasks = noTasks
  #references = noReferences
  readonly #transcript = emptyTranscript()
  #ids = 0

  constructor() {
    this.viewers = []
    this.#append([created])
    this.join()
  }

  get hasStreamed(): boolean {
    return this.#streamed.length > 0
  }

  get nextId(): string {
    this.#ids += 1
    return `${this.#ids}`
  }

  join(): void {
    const { state } = this
    const { seq, toolMode, marks, plan } = state
    const stored: JsonValue = JSON.parse(
      JSON.stringify({
        seq,
        items: this.#transcript.items,
        earlier: false,
        status: this.#status,
        plan,
        references: this.#references,
        hintsReferences: true,
        toolMode,
        tasks: this.#tasks,
        marks,
        children: [],
      }),
    )
    const snapshot: unknown = stored
    if (!checks.scene(snapshot)) throw new Error("the snapshot is invalid")
    const stepId = state.turn?.step?.id
    const blocks = this.#streamed
    this.viewers.push(new Viewer(snapshot, stepId && blocks.length > 0 ? [{ kind: "streamed", stepId, blocks }] : []))
  }

  send(input: SessionCommand | RunnerReport): void {
    const decision = decide(this.state, input, stamp({ at: 0, id: this.nextId, streamed: this.#streamed }))
    if (decision.kind === "refused") return
    const step = this.state.turn?.step?.id
    this.#append(decision.events)
    if (this.state.turn?.step?.id !== step || this.state.turn?.step?.answered) this.#streamed = []
  }

  /** In the current block, or in a new one. */
  stream(kind: "text" | "reasoning", delta: string, inNewBlock = false): void {
    const stepId = this.state.turn?.step?.id
    if (stepId === undefined || this.state.turn?.step?.answered) return
    const last = this.#streamed.at(-1)
    const isNew = inNewBlock || last?.kind !== kind
    if (isNew) this.#streamed.push({ block: this.#streamed.length, kind, text: delta })
    else last.text += delta
    const type = kind === "text" ? "text.delta" : "reasoning.delta"
    this.#send({ kind: "delta", delta: { type, stepId, block: this.#streamed.length - 1, delta } })
  }

  answer(calls: number): void {
    const stepId = this.state.turn?.step?.id
    if (stepId === undefined) return
    const said = this.#streamed.filter(({ text }) => text !== "").map((block): AnswerPart => ({ ...block }))
    const called = Array.from({ length: calls }, (): AnswerPart => {
      return { kind: "call", callId: `cal_${this.nextId}`, tool: "bash", input: {} }
    })
    const end = { model: "m", finish: "stop", usage: undefined, costUsd: undefined } as const
    this.send({ type: "model-answered", stepId, parts: [...said, ...called], ...end })
  }

  #append(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const recorded = { seq: this.state.seq + 1, at: 0, event }
      this.state = evolve(this.state, recorded)
      this.#status = foldStatus(this.#status, recorded)
      this.#tasks = foldTasks(this.#tasks, recorded)
      this.#references = foldReferences(this.#references, recorded)
      foldTranscript(this.#transcript, recorded)
      if (event.type === "turn.ended") this.turnEnds.add(recorded.seq)
      this.#send({ kind: "event", recorded })
    }
  }

  #send(item: WatchItem): void {
    for (const viewer of this.viewers) viewer.send(item)
  }
}

type Move = (world: World, pick: number) => void

const moves: Record<string, Move> = {
  prompt: (world, pick) => {
    const ifBusy = pick % 2 === 0 ? "wait" : "steer"
    const text = pick % 5 === 0 ? "Fix it" : `say ${pick} of src/f${pick % 3}.ts`
    world.send({ type: "prompt", promptId: `prm_${world.nextId}`, text, ifBusy })
  },
  stream: (world, pick) => world.stream("text", `t${pick} `),
  streamHalves: (world, pick) => {
    world.stream("text", `t${pick}\ud83d`)
    if (pick % 2 === 0) world.join()
    world.stream("text", "\ude00 ")
  },
  streamNewBlock: (world, pick) => world.stream("text", `u${pick} `, true),
  think: (world, pick) => world.stream("reasoning", `hm ${pick}`),
  answer: (world) => world.answer(0),
  call: (world, pick) => world.answer(1 + (pick % 2)),
  judge: (world, pick) => {
    const call = openCalls(world.state)[0]
    if (call === undefined) return
    const { id: callId } = call
    const request = { reason: "r", audience: "driver", causes: ["preset"], digest: "d", waitMs: undefined } as const
    const refuse = { kind: "refuse", by: "policy", reason: "no" } as const
    world.send(
      pick % 2 === 0 ? { type: "approval-needed", callId, ...request } : { type: "judged", callId, verdict: refuse },
    )
  },
  decide: (world, pick) => {
    const approvalId = openApprovals(world.state)[0]?.id
    if (approvalId !== undefined) world.send({ type: "approve", approvalId, approved: pick % 2 === 0 })
  },
  start: (world, pick) => {
    const call = openCalls(world.state)[pick % 2]
    const ready = { class: "unsafe", digest: "d", process: undefined, waitMs: undefined } as const
    if (call !== undefined) world.send({ type: "call-ready", callId: call.id, ...ready })
  },
  settle: (world, pick) => {
    const call = openCalls(world.state).find(({ phase }) => phase === "started")
    const outcome = pick % 2 === 0 ? "done" : "failed"
    if (call !== undefined) world.send({ type: "call-settled", callId: call.id, outcome, output: `out ${pick}` })
  },
  /** A whole step with a call, and perhaps a prompt meanwhile. */
  work: (world, pick) => {
    world.answer(1)
    if (pick % 2 === 0) moves["prompt"]?.(world, pick + 1)
    moves["start"]?.(world, 0)
    moves["settle"]?.(world, pick)
  },
  interrupt: (world) => world.send({ type: "interrupt" }),
  fail: (world) => {
    const stepId = world.state.turn?.step?.id
    if (stepId !== undefined) world.send({ type: "model-failed", stepId, error: "no connection" })
  },
  crash: (world) => world.send({ type: "recover", evidence: {} }),
  park: (world, pick) => {
    const stepId = world.state.turn?.step?.id
    if (stepId !== undefined && pick % 2 === 0)
      world.send({ type: "turn-blocked", stepId, why: "budget", message: "no money" })
    else world.send({ type: "resume" })
  },
  compact: (world, pick) => {
    if (world.hasStreamed) return // the context is measured before the model is asked
    const stepId = world.state.turn?.step?.id
    world.send(stepId === undefined ? { type: "compact" } : { type: "context-full", stepId })
    const { compaction: compactionId, seq } = world.state
    if (compactionId === undefined || pick % 4 === 0) return
    const used = { usage: undefined, costUsd: undefined }
    if (pick % 4 === 1) world.send({ type: "compaction-failed", compactionId, error: "no" })
    else world.send({ type: "compacted", compactionId, summary: "s", upToSeq: seq, ...used })
  },
  rest: (world, pick) => world.send({ type: pick % 2 === 0 ? "hibernate" : "wake" }),
  end: (world, pick) => world.send({ type: "end", when: pick % 2 === 0 ? "now" : "idle" }),
  clear: (world) => {
    if (world.state.waiting.length === 0) world.send({ type: "clear-context" })
  },
  rewind: (world) => {
    const toSeq = world.state.restingPlaces.at(-2) ?? 0
    if (world.turnEnds.has(toSeq) && world.state.waiting.length === 0) world.send({ type: "rewind", toSeq })
  },
  plan: (world, pick) => {
    const summary = pick % 4 === 1 ? `the plan ${pick}` : undefined
    world.send(world.state.plan === undefined ? { type: "enter-plan", focus: "f" } : { type: "exit-plan", summary })
  },
  join: (world) => world.join(),
}

/** Moves that continue a turn are more frequent than those that end it. */
const usual = [
  "prompt",
  "stream",
  "streamHalves",
  "streamNewBlock",
  "think",
  "call",
  "start",
  "settle",
  "work",
  "work",
  "answer",
  "plan",
  "join",
]
const move = fc.record({ name: fc.constantFrom(...usual, ...Object.keys(moves)), pick: fc.nat(20) })

it("sends the same text to a viewer from the beginning and to one that joins at any moment", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (chosen) => {
      const world = new World()
      for (const { name, pick } of chosen) moves[name]?.(world, pick)
      world.send({ type: "interrupt" })
      world.join()
      const [first] = world.viewers
      for (const viewer of world.viewers) {
        expect(brokenRules(viewer, viewer === first)).toEqual([])
        expect(messagesOf(viewer)).toEqual(first === undefined ? [] : messagesOf(first))
        expect(noticesOf(viewer)).toEqual(first === undefined ? [] : noticesOf(first))
        expect(planOf(viewer)).toEqual(first === undefined ? [] : planOf(first))
        expect(viewer.view.referenceStatus).toEqual(first?.view.referenceStatus)
        expect(viewer.view.requests).toEqual([])
        expect(viewer.view.isBusy).toBe(isBusy(world.state))
      }
    }),
    { numRuns: 500 },
  )
})

function messagesOf({ view }: Viewer): readonly string[] {
  return view.messages.filter(({ role }) => role !== "system").map(({ role, content }) => `${role}: ${content}`)
}

/** Without the status line, which says how the last turn ended only to viewers that saw it. */
function planOf({ view }: Viewer): readonly unknown[] {
  return view
    .planSyncMessages()
    .map((sync) => ("messages" in sync ? { ...sync, status: "", messages: sorted(sync) } : sync))
}

function sorted({ messages }: { readonly messages: readonly DisplayMessage[] }): readonly string[] {
  return messages.map(({ role, content }) => (role === "system" ? `~ ${content}` : content)).toSorted()
}

/** Sorted, because a request is listed where it was made, or where its call is. */
function noticesOf({ view }: Viewer): readonly string[] {
  return view.messages.flatMap(({ role, content }) => (role === "system" ? [content] : [])).toSorted()
}

/** The rules of the protocol that are broken in what one viewer was sent. */
function brokenRules({ frames, view }: Viewer, isFirst: boolean): readonly string[] {
  const faults: string[] = []
  const must = (holds: boolean, rule: string) => holds || faults.push(rule)
  const open = new Set<string>()
  let chunks = ""
  let hasEnded = false
  for (const frame of frames) {
    switch (frame.type) {
      case "message_added":
      case "plan_mode_message_added":
        if (frame.message.role === "user") hasEnded = false
        if (frame.message.role !== "assistant") break
        must(frame.message.content === chunks, "the message is all its chunks")
        chunks = ""
        break
      case "stream_chunk":
      case "plan_mode_stream_chunk":
        must(!hasEnded && frame.text.isWellFormed(), "text comes whole and before the end")
        chunks += frame.text
        break
      case "tool_call_start":
        must(!open.has(frame.id), "a call starts once")
        open.add(frame.id)
        break
      case "tool_result":
        must(typeof frame.output !== typeof frame.error, "a result is an output or an error")
        must(open.delete(frame.id) || !isFirst, "a result has a start")
        break
      case "stream_end":
      case "plan_mode_stream_end":
        must(!hasEnded && open.size === 0, "a turn ends once, after its results")
        hasEnded = true
        break
      default:
        break
    }
  }
  must(chunks === view.turnText, "the text so far is all chunks so far")
  return faults
}
