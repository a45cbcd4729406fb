import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../../contract/events.ts"
import type { ViolationKind } from "../violation.ts"
import { checkRequests, type SeenRequest } from "./check-requests.ts"
import { markedText, marksIn } from "./marks.ts"
import { contentsOf } from "./request-contents.ts"

const text = {
  prompt: markedText("p1", 100),
  answer: markedText("t2", 100),
  call: markedText("c3", 40),
  output: markedText("o4", 200),
  last: markedText("t5", 60),
}

const by = { principal: "you", door: "test" }
const events: readonly SessionEvent[] = [
  { type: "prompt.admitted", promptId: "prm_1", text: text.prompt, delivery: "next-turn", by },
  { type: "turn.started", turnId: "trn_1" },
  { type: "prompt.promoted", promptId: "prm_1", turnId: "trn_1" },
  { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "m" },
  { type: "text.ended", stepId: "stp_1", block: 0, text: text.answer },
  { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "look", input: { note: text.call } },
  { type: "tool.ended", callId: "cal_1", outcome: "done", output: text.output },
  { type: "step.started", stepId: "stp_2", turnId: "trn_1", model: "m" },
  { type: "text.ended", stepId: "stp_2", block: 0, text: text.last },
]
const history = events.map((event, index) => ({ seq: index + 1, at: 0, event }))

const prompt = { role: "user", content: text.prompt }
const call = { id: "cal_1", function: { name: "look", arguments: JSON.stringify({ note: text.call }) } }
const answer = { role: "assistant", content: text.answer, tool_calls: [call] }
const result = { role: "tool", tool_call_id: "cal_1", content: text.output }
const aged = { ...result, content: "[Left out to save room: the output of this call, 1 line.]" }

function step(said: string | undefined, ...messages: readonly object[]): SeenRequest {
  const body = JSON.parse(JSON.stringify({ messages }))
  return { kind: "step", contents: contentsOf(body), said }
}

function violationsOf(...requests: readonly SeenRequest[]): readonly string[] {
  const found: string[] = []
  const report = (kind: ViolationKind, event: string) => void found.push(`${kind} ${event}`)
  checkRequests([step("t2", prompt), ...requests], history, report)
  return found
}

describe("marks", () => {
  it("are found whole, in text and in JSON", () => {
    const { length } = [...text.output.matchAll(/~/g)]
    const whole = [{ name: "o4", from: 0, to: length - 1 }]
    expect(marksIn(text.output)).toEqual(whole)
    expect(marksIn(JSON.stringify({ text: text.output }))).toEqual(whole)
  })

  it("are missing where a character is cut in two", () => {
    const emoji = text.output.indexOf("😀")
    expect(marksIn(text.output.slice(0, emoji + 1)).at(-1)?.to).toBe(6)
  })
})

describe("requests", () => {
  it("may have everything, or a note in place of a result", () => {
    expect(violationsOf(step("t5", prompt, answer, result))).toEqual([])
    expect(violationsOf(step("t5", prompt, answer, aged))).toEqual([])
  })

  it("may lack what was in a request for a summary", () => {
    const whole = [text.answer, text.call, text.output].join("\n")
    expect(violationsOf({ kind: "summary", text: whole }, step("t5", prompt))).toEqual([])
    const divided = [whole.slice(0, 100), `[continued] ${whole.slice(100)}`]
    const summaries = divided.map((piece) => ({ kind: "summary", text: piece }) as const)
    expect(violationsOf(...summaries, step("t5", prompt))).toEqual([])
  })

  it.for([
    ["without a prompt of the turn", ["lost prompt.promoted", "lost prompt.promoted"], [answer, result]],
    ["without an answer", ["lost text.ended", "lost tool.called", "lost tool.ended"], [prompt]],
    ["with a part of a result", ["lost tool.ended"], [prompt, answer, { ...result, content: text.output.slice(9) }]],
    ["with a message twice", ["doubled prompt.promoted"], [prompt, prompt, answer, result]],
    ["in another order", ["broken prompt.promoted"], [answer, result, prompt]],
    ["with a call without its result", ["broken tool.called"], [prompt, answer, prompt, result]],
  ] as const)("are reported %s", ([, expected, messages]) => {
    expect(violationsOf(step("t5", ...messages))).toEqual(expect.arrayContaining([...expected]))
  })

  it("are reported with what a summary has replaced", () => {
    const summary = { kind: "summary", text: [text.answer, text.call, text.output].join("\n") } as const
    expect(violationsOf(summary, step("t5", prompt, answer, result))).toContain("doubled text.ended")
  })
})
