import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import {
  encodeAgentMessage,
  encodeHandshake,
  encodeHandshakeResponse,
  encodeMetadata,
  encodeViewerMessage,
} from "./codec.ts"
import { decodeAgentMessage, decodeMetadata } from "./codec.ts"

/** Lone surrogates included. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) })

const metadata = {
  session_id: "s2",
  model: "m1",
  created_at: 1,
  last_activity: 1,
  working_directory: "/p",
  is_busy: false,
}

describe("an encoded message", () => {
  it("is one line that a strict reader accepts, with lone surrogates replaced", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const type of ["stream_chunk", "plan_mode_stream_chunk"] as const) {
          const line = encodeAgentMessage({ type, text })
          expect(line).not.toContain("\n")
          expect(decodeAgentMessage(line)).toEqual({ kind: "message", message: { type, text: text.toWellFormed() } })
        }
      }),
    )
  })

  it("writes null for an absent option, in the order of the protocol", () => {
    expect(encodeAgentMessage({ type: "stream_end" })).toBe('{"type":"stream_end","finish_reason":null}')
    expect(encodeAgentMessage({ error: undefined, output: "x", name: "n", id: "c1", type: "tool_result" })).toBe(
      '{"type":"tool_result","id":"c1","name":"n","output":"x","error":null}',
    )
    expect(encodeViewerMessage({ type: "spawn_agent", reason: "r" })).toBe(
      '{"type":"spawn_agent","model":null,"reason":"r","working_directory":null}',
    )
    expect(encodeViewerMessage({ type: "user_input", content: "hi" })).toBe(
      '{"type":"user_input","content":"hi","context_files":[]}',
    )
  })

  it("leaves out absent options of a slash command result", () => {
    expect(encodeAgentMessage({ type: "slash_command_result", command: "x", success: true, output: null })).toBe(
      '{"type":"slash_command_result","command":"x","success":true,"blocked":false}',
    )
    const whole = { output: "o", action_taken: "a", error: "e", blocked: true }
    expect(encodeAgentMessage({ type: "slash_command_result", command: "x", success: false, ...whole })).toBe(
      '{"type":"slash_command_result","command":"x","success":false,"output":"o","action_taken":"a","error":"e","blocked":true}',
    )
  })

  it("contains declared fields only, also in nested objects", () => {
    const shown = { role: "user", content: "x", created_at: 1, hidden: "s3cr3t" }
    const entry = { ...metadata, hidden: "s3cr3t" }
    const lines = [
      encodeAgentMessage({ type: "message_added", message: shown }),
      encodeAgentMessage({ type: "plan_mode_entered", plan_session_id: "p", messages: [shown], status: "" }),
      encodeAgentMessage({ type: "agent_list", agents: [entry] }),
      encodeMetadata(entry),
    ]
    expect(lines.join("")).not.toContain("s3cr3t")
    expect(lines[2]).toContain('"parent_agent_id":null,"spawn_reason":null,"model":"m1"')
  })

  it("keeps the message of an error, which is a string", () => {
    expect(encodeAgentMessage({ type: "error", message: "boom", fatal: false })).toBe(
      '{"type":"error","message":"boom","fatal":false}',
    )
  })

  it("has no duplicate key, even when two keys differ only in lone surrogates", () => {
    const line = encodeAgentMessage({
      type: "tool_call_start",
      id: "1",
      name: "n",
      input: { "\ud800": 1, "\udc00": 2 },
    })
    expect(decodeAgentMessage(line)).toMatchObject({ message: { input: { "\ufffd": 2 } } })
  })

  it("never nests deeper than strict readers accept", () => {
    const call = (levels: number) => {
      let input: JsonValue = 1
      for (let level = 0; level < levels; level++) input = [input]
      return encodeAgentMessage({ type: "tool_call_start", id: "1", name: "n", input })
    }
    expect(call(126)).toContain("[[[1]]]")
    expect([call(126), call(127), call(5000)].map((line) => decodeAgentMessage(line).kind)).toEqual(
      Array.from({ length: 3 }, () => "message"),
    )
    expect(call(127)).toContain("nested too deeply")
  })
})

describe("handshake lines", () => {
  it("contain all fields", () => {
    expect(encodeHandshake({ version: 2, is_reattach: false })).toBe(
      '{"version":2,"is_reattach":false,"session_id":null,"session_token":null}',
    )
    expect(encodeHandshakeResponse({ accepted: true, session_id: "s" })).toBe(
      '{"accepted":true,"session_id":"s","session_token":null,"error":null}',
    )
  })
})

describe("the metadata file", () => {
  it("is indented and can be decoded", () => {
    const text = encodeMetadata({ ...metadata, spawn_reason: "lone \ud800", pid: 42 })
    expect(text).toMatch(/^\{\n  "session_id": "s2",\n/)
    expect(decodeMetadata(text)).toEqual({ ...metadata, parent_agent_id: null, spawn_reason: "lone \ufffd", pid: 42 })
  })
})
