import { expect, it } from "vitest"
import type { AssistantEntry, CallEntry, TranscriptItem, UserEntry } from "../projection/transcript.ts"
import { transcriptText } from "./transcript-text.ts"

const at = new Date(2026, 10, 15, 9, 8, 7).getTime()
const entry = { seq: 1, at, planId: undefined }
const by = { principal: "you", door: "test" }

function user(change: Partial<UserEntry> = {}): UserEntry {
  const rest = { attachments: [], by, untrustedSource: undefined, state: "promoted" } as const
  return { ...entry, kind: "user", promptId: "prm_1", text: "hello", ...rest, ...change }
}

function assistant(change: Partial<AssistantEntry> = {}): AssistantEntry {
  return { ...entry, kind: "assistant", stepId: "stp_1", text: "", reasoning: "", cutOff: false, ...change }
}

function call(change: Partial<CallEntry> = {}): CallEntry {
  const input = { command: "ls" }
  const rest = { state: "done", output: undefined, approval: undefined } as const
  return { ...entry, kind: "call", callId: "cal_1", tool: "bash", input, ...rest, ...change }
}

it("shows the conversation in order, with empty lines between entries", () => {
  const items: readonly TranscriptItem[] = [
    user(),
    assistant({ reasoning: "only thought" }),
    call({ output: "a\nb\n" }),
    assistant({ text: "Two files.", cutOff: true }),
    { ...entry, kind: "notice", tone: "warning", text: "Interrupted." },
  ]
  expect(transcriptText(items)).toBe(
    [
      "you, 2026-11-15 09:08:07:",
      "hello",
      "",
      'bash {"command":"ls"} [done]',
      "    a",
      "    b",
      "",
      "assistant [cut off]:",
      "Two files.",
      "",
      "(Interrupted.)",
      "",
    ].join("\n"),
  )
})

it("shows who approved a call and its result", () => {
  const approval = { id: "apr_1", reason: "r", outcome: "denied", by } as const
  expect(transcriptText([call({ approval, state: "refused" })])).toBe(
    'bash {"command":"ls"} [denied by you, refused]\n',
  )
})

it("shows attachments, and prompts that are not delivered yet", () => {
  const attachments = [{ name: "a.png", mediaType: "image/png" }]
  expect(transcriptText([user({ state: "waiting", attachments })])).toBe(
    "you, 2026-11-15 09:08:07 [not delivered yet]:\nhello\n[a.png, image/png]\n",
  )
})

it("shows the source of untrusted text", () => {
  expect(transcriptText([user({ untrustedSource: "ci" })])).toBe(
    "you, 2026-11-15 09:08:07 [untrusted, from ci]:\nhello\n",
  )
})

it("cuts long outputs and shows how many lines are missing", () => {
  const output = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n")
  const text = transcriptText([call({ output })])
  expect(text).toContain("line 19\n    … 30 more lines\n")
  expect(text).not.toContain("line 20")
})

it("escapes control characters in texts", () => {
  const text = transcriptText([assistant({ text: "a\u001b]0;title\u0007b" })])
  expect(text).toContain("a\u{fffd}]0;title\u{fffd}b")
})
