// Streams of Anthropic's messages, in the shapes that the vendor and gateways send.
import { data, event, type Sample } from "./events.ts"
import {
  startUsage,
  message,
  start,
  ping,
  begin,
  delta,
  stop,
  text,
  input,
  finish,
  last,
  end,
  textBlock,
  toolBlock,
  thoughtBlock,
  search,
  found,
  citation,
} from "./anthropic-parts.ts"

export const anthropicSamples: readonly Sample[] = [
  { name: "text", text: start + ping + textBlock(0, "Hello", ", ", "world 世界 🚀") + end },
  {
    name: "pings everywhere",
    text:
      ping +
      start +
      ping +
      ping +
      begin(0, { type: "text", text: "" }) +
      text(0, "a") +
      ping +
      text(0, "b") +
      stop(0) +
      ping +
      end +
      ping,
  },
  {
    name: "thoughts with a signature, then text",
    text: start + thoughtBlock(0, "EqQBsig", "Let me", " see") + textBlock(1, "a") + end,
  },
  {
    name: "hidden thoughts",
    text: start + begin(0, { type: "redacted_thinking", data: "opaque" }) + stop(0) + textBlock(1, "a") + end,
  },
  { name: "a signature without thoughts", text: start + thoughtBlock(0, "sig") + textBlock(1, "a") + end },
  {
    name: "a signature outside thoughts",
    text:
      start +
      begin(0, { type: "text", text: "" }) +
      delta(0, { type: "signature_delta", signature: "s" }) +
      text(0, "a") +
      stop(0) +
      end,
  },
  { name: "a call", text: start + toolBlock(0, "toolu_1", '{"pa', "", 'th":"ü"', "}") + finish("tool_use") + last },
  { name: "a call without input", text: start + toolBlock(0, "toolu_1") + finish("tool_use") + last },
  {
    name: "text and parallel calls",
    text:
      start +
      textBlock(0, "Reading.") +
      toolBlock(1, "toolu_1", '{"a":1}') +
      toolBlock(2, "toolu_2", "{}") +
      finish("tool_use") +
      last,
  },
  {
    name: "blocks that overlap",
    text:
      start +
      begin(0, { type: "text", text: "" }) +
      begin(1, { type: "tool_use", id: "t", name: "ls", input: {} }) +
      text(0, "a") +
      input(1, "{") +
      text(0, "b") +
      stop(0) +
      input(1, "}") +
      stop(1) +
      finish("tool_use") +
      last,
  },
  { name: "deltas of blocks that never began", text: start + text(5, "a") + input(6, "{}") + stop(7) + end },
  { name: "empty deltas", text: start + textBlock(0, "", "a", "") + end },
  {
    name: "counts in the last event",
    text:
      start +
      textBlock(0, "a") +
      finish("end_turn", {
        input_tokens: 15,
        cache_read_input_tokens: 7,
        cache_creation_input_tokens: null,
        output_tokens_details: { thinking_tokens: 9, other: 1 },
        server_tool_use: { web_search_requests: 0 },
        iterations: null,
        service_tier: "priority",
      }) +
      last,
  },
  {
    name: "counts without the cache",
    text:
      event({ type: "message_start", message: { ...message, usage: { input_tokens: 3, output_tokens: 0 } } }) +
      textBlock(0, "a") +
      end,
  },
  {
    name: "the stop sequence",
    text: start + textBlock(0, "a") + finish("stop_sequence", {}, { stop_sequence: "END" }) + last,
  },
  { name: "the limit", text: start + textBlock(0, "a") + finish("max_tokens") + last },
  { name: "a full window", text: start + textBlock(0, "a") + finish("model_context_window_exceeded") + last },
  { name: "a pause", text: start + textBlock(0, "a") + finish("pause_turn") + last },
  { name: "a refusal", text: start + textBlock(0, "a") + finish("refusal") + last },
  {
    name: "an explained refusal",
    text:
      start +
      textBlock(0, "a") +
      finish("refusal", {}, { stop_details: { type: "refusal", category: "x", explanation: "y" } }) +
      last,
    takeovers: 1,
  },
  { name: "an unknown reason", text: start + textBlock(0, "a") + finish("tired") + last },
  { name: "no reason", text: start + textBlock(0, "a") + finish(null) + last },
  { name: "no last counts", text: start + textBlock(0, "a") + last },
  { name: "nothing but a beginning and an end", text: start + end },
  {
    name: "no id and model",
    text: event({ type: "message_start", message: { usage: { input_tokens: 1 } } }) + textBlock(0, "a") + end,
  },
  {
    name: "an input that comes at once",
    text:
      start +
      begin(0, { type: "tool_use", id: "t", name: "ls", input: { a: 1 } }) +
      stop(0) +
      finish("tool_use") +
      last,
    takeovers: 1,
  },
  {
    name: "a call by a program",
    text:
      start +
      begin(0, { type: "tool_use", id: "t", name: "ls", input: {}, caller: { type: "direct" } }) +
      input(0, "{}") +
      stop(0) +
      finish("tool_use") +
      last,
    takeovers: 1,
  },
  {
    name: "a search with citations",
    text:
      start +
      textBlock(0, "Searching.") +
      search +
      found +
      begin(3, { type: "text", text: "" }) +
      text(3, "It is") +
      delta(3, { type: "citations_delta", citation }) +
      stop(3) +
      end,
    takeovers: 1,
  },
  {
    name: "citations after long text",
    text:
      start +
      thoughtBlock(0, "sig", "a", "b") +
      begin(1, { type: "text", text: "" }) +
      text(1, "a") +
      text(1, "b") +
      text(1, "c") +
      delta(1, { type: "citations_delta", citation }) +
      text(1, "d") +
      stop(1) +
      toolBlock(2, "t", "{", "}") +
      end,
    takeovers: 1,
  },
  {
    name: "a summary of the context",
    text:
      start +
      begin(0, { type: "compaction", content: "s" }) +
      delta(0, { type: "compaction_delta", content: "more" }) +
      stop(0) +
      textBlock(1, "a") +
      end,
    takeovers: 1,
  },
  {
    name: "edits of the context",
    text:
      start +
      textBlock(0, "a") +
      event({
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 1 },
        context_management: {
          applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 1, cleared_input_tokens: 2 }],
        },
      }) +
      last,
    takeovers: 1,
  },
  {
    name: "iterations",
    text:
      start +
      textBlock(0, "a") +
      finish("end_turn", { iterations: [{ type: "message", input_tokens: 4, output_tokens: 5 }] }) +
      last,
    takeovers: 1,
  },
  {
    name: "another model's answer",
    text:
      start +
      begin(0, { type: "fallback", from: { model: "a" }, to: { model: "b" } }) +
      stop(0) +
      textBlock(1, "a") +
      end,
    takeovers: 1,
  },
  {
    name: "an unknown block",
    text: start + textBlock(0, "a") + begin(1, { type: "hologram", x: 1 }) + stop(1) + end,
    takeovers: 1,
  },
  { name: "an unknown event", text: start + event({ type: "mood_changed" }) + textBlock(0, "a") + end, takeovers: 1 },
  {
    name: "an unknown delta",
    text:
      start +
      begin(0, { type: "text", text: "" }) +
      delta(0, { type: "smell_delta", smell: "x" }) +
      text(0, "a") +
      stop(0) +
      end,
    takeovers: 1,
  },
  {
    name: "an error first",
    text: event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    takeovers: 1,
  },
  {
    name: "an error after a ping",
    text: ping + event({ type: "error", error: { type: "rate_limit_error", message: "Slow down" } }),
    takeovers: 1,
  },
  {
    name: "an error after the beginning",
    text: start + event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    takeovers: 1,
  },
  {
    name: "an error after text",
    text:
      start +
      begin(0, { type: "text", text: "" }) +
      text(0, "a") +
      text(0, "b") +
      event({ type: "error", error: { type: "api_error", message: "Internal" } }),
    takeovers: 1,
  },
  {
    name: "a second beginning",
    text:
      start +
      textBlock(0, "a") +
      event({ type: "message_start", message: { ...message, id: "msg_2", usage: startUsage } }) +
      end,
    takeovers: 1,
  },
  { name: "the same beginning twice", text: start + start + textBlock(0, "a") + end, takeovers: 1 },
  {
    name: "a second answer behind the end",
    text: start + textBlock(0, "a") + end + start + textBlock(0, "b") + end,
    takeovers: 1,
  },
  { name: "cut off before the end", text: start + textBlock(0, "a") + finish("end_turn"), takeovers: 1 },
  {
    name: "cut off in the text",
    text: start + begin(0, { type: "text", text: "" }) + text(0, "a") + text(0, "b"),
    takeovers: 1,
  },
  { name: "cut off in a call", text: start + toolBlock(0, "t", '{"a":', '"').slice(0, -40), takeovers: 1 },
  { name: "cut off after the beginning", text: start, takeovers: 1 },
  { name: "nothing", text: "", takeovers: 1 },
  { name: "no JSON", text: `${start}${textBlock(0, "a")}data: {"type":\n\n${end}`, takeovers: 1 },
  {
    name: "a wrong shape",
    text: start + event({ type: "content_block_delta", index: "0", delta: {} }) + end,
    takeovers: 1,
  },
  {
    name: "a stop reason in the beginning",
    text:
      event({ type: "message_start", message: { ...message, stop_reason: "end_turn", usage: startUsage } }) +
      textBlock(0, "a") +
      last,
    takeovers: 1,
  },
  {
    name: "content in the beginning",
    text:
      event({
        type: "message_start",
        message: { ...message, content: [{ type: "tool_use", id: "t", name: "ls", input: {} }], usage: startUsage },
      }) + end,
    takeovers: 1,
  },
  {
    name: "unknown fields everywhere",
    text:
      event({ type: "message_start", extra: 1, message: { ...message, x: {}, usage: { ...startUsage, y: [1] } } }) +
      begin(0, { type: "text", text: "", citations: null }) +
      data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a", z: 0 }, p: "aaaa" }) +
      stop(0) +
      end,
  },
]
