import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Attachment } from "../../contract/values.ts"
import { messageCount, messagesOf } from "./responses.ts"
import type { AssistantPart, ContextItem } from "../../contract/views/context.ts"

const place = { seq: 1, lastSeq: 1 }

function user(text: string, attachments: readonly Attachment[] = []): ContextItem {
  return { kind: "user", ...place, text, attachments, untrustedSource: undefined }
}

function assistant(parts: AssistantPart[], results = {}): ContextItem {
  return { kind: "assistant", ...place, stepId: "stp_1", parts, results }
}

const call = { kind: "call", callId: "cal_1", tool: "ls", input: { path: "." }, providerMetadata: undefined } as const
const text = { kind: "text", text: "Hello", cutOff: false } as const

describe("messages", () => {
  it("have a role; tool results are a message of their own", () => {
    const thought = { kind: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "sig" } } } as const
    const items = [user("hi"), assistant([thought, text, call], { cal_1: { output: "no", failed: true } })]
    expect(messagesOf(items)).toEqual([
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "sig" },
          { type: "text", text: "Hello" },
          { type: "tool_use", id: "cal_1", name: "ls", input: { path: "." } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "cal_1", content: "no", is_error: true }] },
    ])
  })

  it("show attachments as blocks after the text, which may be missing", () => {
    const image = { name: "a.png", mediaType: "image/png", data: "AA==" }
    const page = { name: "b.txt", mediaType: "text/plain", data: "Qg==" }
    expect(messagesOf([user("", [image, page])])).toEqual([
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
          { type: "document", title: "b.txt", source: { type: "base64", media_type: "text/plain", data: "Qg==" } },
        ],
      },
    ])
  })

  it("begin with the summary after a compaction", () => {
    const summary: ContextItem = { kind: "summary", ...place, of: "history", text: "It was short." }
    expect(messagesOf([summary])).toEqual([{ role: "user", content: "It was short." }])
  })

  it("are as many as messageCount counts", () => {
    const item = fc.oneof(
      fc.constant(user("hi")),
      fc.constant(assistant([])),
      fc.constant(assistant([text])),
      fc.constant(assistant([call], { cal_1: { output: "", failed: false } })),
    )
    fc.assert(fc.property(fc.array(item), (items) => messageCount(items) === messagesOf(items).length))
  })
})
