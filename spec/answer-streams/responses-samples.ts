// Streams of OpenAI's responses, in the shapes that the vendor and gateways send.
import { data, event, type Sample } from "./events.ts"
import { chunk } from "./chat-parts.ts"
import {
  response,
  start,
  added,
  done,
  message,
  reasoning,
  call,
  text,
  args,
  partAdded,
  partText,
  partDone,
  usage,
  completed,
  textItem,
  callItem,
  thoughtItem,
  failed,
  annotation,
  webCitation,
} from "./responses-parts.ts"

export const responsesSamples: readonly Sample[] = [
  { name: "text", text: start + textItem(0, "msg_1", "Hello", ", 世界", " 🚀") + completed() + "data: [DONE]\n\n" },
  { name: "an empty text", text: start + textItem(0, "msg_1") + completed() },
  {
    name: "thoughts, then text",
    text: start + thoughtItem(0, "rs_1", ["Let ", "me"]) + textItem(1, "msg_1", "a", "b") + completed(),
  },
  {
    name: "thoughts without a summary",
    text: start + thoughtItem(0, "rs_1") + textItem(1, "msg_1", "a") + completed(),
  },
  {
    name: "thoughts in several parts",
    text: start + thoughtItem(0, "rs_1", ["a", "b"], ["c"], ["d", "e"]) + textItem(1, "msg_1", "a") + completed(),
  },
  {
    name: "thoughts without encrypted content",
    text:
      start +
      added(0, { type: "reasoning", id: "rs_1", summary: [] }) +
      partText(0, "rs_1", 0, "a") +
      done(0, { type: "reasoning", id: "rs_1", summary: [] }) +
      textItem(1, "msg_1", "a") +
      completed(),
  },
  {
    name: "a part of thoughts that is not closed",
    text:
      start +
      added(0, reasoning("rs_1", null)) +
      partAdded(0, "rs_1", 0) +
      partText(0, "rs_1", 0, "a") +
      partAdded(0, "rs_1", 1) +
      partText(0, "rs_1", 1, "b") +
      done(0, reasoning("rs_1", "e")) +
      completed(),
  },
  {
    name: "thoughts of an unknown item",
    text:
      start +
      partAdded(0, "rs_9", 1) +
      partText(0, "rs_9", 1, "a") +
      partDone(0, "rs_9", 1) +
      done(0, reasoning("rs_9", "e")) +
      completed(),
  },
  { name: "a call", text: start + callItem(0, "a", '{"pa', 'th":"ü"', "}") + completed() },
  { name: "a call without arguments", text: start + callItem(0, "a") + completed() },
  {
    name: "a call that says how it runs",
    text:
      start +
      added(0, call("a", "", { async: true, namespace: null, caller: null })) +
      args(0, "{}") +
      done(0, call("a", "{}")) +
      completed(),
  },
  {
    name: "thoughts, text and parallel calls",
    text:
      start +
      thoughtItem(0, "rs_1", ["a"]) +
      textItem(1, "msg_1", "b") +
      callItem(2, "a", '{"x":1}') +
      callItem(3, "b", "{}") +
      completed(),
  },
  {
    name: "items that overlap",
    text:
      start +
      added(0, call("a", "")) +
      added(1, message("msg_1")) +
      args(0, "{") +
      text(1, "msg_1", "t") +
      added(2, call("b", "")) +
      args(2, "[") +
      args(0, "}") +
      done(0, call("a", "{}")) +
      args(2, "]") +
      done(1, message("msg_1")) +
      done(2, call("b", "[]")) +
      completed(),
  },
  {
    name: "ids that change from event to event",
    text:
      start +
      added(0, reasoning("rs_a", "s")) +
      partText(0, "rs_b", 0, "x") +
      partDone(0, "rs_c", 0) +
      done(0, reasoning("rs_d", "e")) +
      added(1, message("m_a")) +
      text(1, "m_b", "a") +
      text(1, "m_c", "b") +
      done(1, message("m_d")) +
      completed(),
  },
  {
    name: "phases of a message",
    text:
      start +
      added(0, message("m_1", { phase: "commentary" })) +
      text(0, "m_1", "a") +
      done(0, message("m_1")) +
      added(1, message("m_2", { phase: null })) +
      done(1, message("m_2", { phase: "final_answer" })) +
      completed(),
  },
  {
    name: "deltas without an index",
    text:
      start +
      added(0, message("m_1")) +
      text(0, "m_1", "a", { output_index: null }) +
      text(0, "m_1", "b", { output_index: undefined }) +
      done(0, message("m_1")) +
      completed(),
  },
  {
    name: "the limit",
    text:
      start +
      textItem(0, "msg_1", "a") +
      event({
        type: "response.incomplete",
        response: { ...response, incomplete_details: { reason: "max_output_tokens" }, usage },
      }),
  },
  {
    name: "filtered",
    text:
      start +
      textItem(0, "msg_1", "a") +
      event({ type: "response.incomplete", response: { incomplete_details: { reason: "content_filter" } } }),
  },
  {
    name: "another reason, with a call",
    text:
      start +
      callItem(0, "a", "{}") +
      event({ type: "response.incomplete", response: { incomplete_details: { reason: "tired" } } }),
  },
  {
    name: "another reason",
    text:
      start +
      textItem(0, "msg_1", "a") +
      event({ type: "response.incomplete", response: { incomplete_details: { reason: "tired" } } }),
  },
  { name: "no usage", text: start + textItem(0, "msg_1", "a") + completed({ usage: null }) },
  {
    name: "usage without details",
    text:
      start +
      textItem(0, "msg_1", "a") +
      completed({ usage: { input_tokens: 1, output_tokens: 2, input_tokens_details: null } }),
  },
  {
    name: "how it reasoned and the tier",
    text:
      start +
      textItem(0, "msg_1", "a") +
      completed({ reasoning: { effort: "low", context: "ctx" }, service_tier: "priority" }),
  },
  { name: "no tier", text: start + textItem(0, "msg_1", "a") + completed({ service_tier: null, reasoning: null }) },
  { name: "no created event", text: textItem(0, "msg_1", "a") + completed() },
  {
    name: "a queued request",
    text: start + event({ type: "response.queued", x: 1 }) + textItem(0, "msg_1", "a") + completed(),
  },
  {
    name: "an event that nobody knows",
    text: start + event({ type: "response.danced", x: 1 }) + textItem(0, "msg_1", "a") + completed(),
    takeovers: 1,
  },
  {
    name: "keep-alive events",
    text: start + data({ type: "keepalive", sequence_number: 5 }) + textItem(0, "msg_1", "a") + completed(),
  },
  {
    name: "a refusal",
    text:
      start +
      added(0, message("m_1")) +
      event({ type: "response.refusal.delta", item_id: "m_1", output_index: 0, delta: "No" }) +
      event({ type: "response.refusal.done", item_id: "m_1", output_index: 0, refusal: "No" }) +
      done(0, message("m_1")) +
      completed(),
    takeovers: 1,
  },
  {
    name: "citations",
    text:
      start +
      added(0, message("msg_1")) +
      text(0, "msg_1", "a") +
      text(0, "msg_1", "b") +
      annotation(webCitation) +
      annotation({ type: "file_citation", file_id: "f", filename: "n", index: 1 }) +
      text(0, "msg_1", "c") +
      done(0, message("msg_1")) +
      completed(),
    takeovers: 1,
  },
  {
    name: "a search of the vendor",
    text:
      start +
      thoughtItem(0, "rs_1", ["a"], ["b"]) +
      added(1, { type: "web_search_call", id: "ws_1", status: "in_progress" }) +
      done(1, { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } }) +
      textItem(2, "msg_1", "a", "b") +
      callItem(3, "a", "{", "}") +
      completed(),
    takeovers: 1,
  },
  {
    name: "an item of an unknown kind",
    text:
      start +
      callItem(0, "a", "{", "}") +
      added(1, { type: "hologram", id: "h" }) +
      done(1, { type: "hologram", id: "h" }) +
      textItem(2, "msg_1", "a") +
      completed(),
    takeovers: 1,
  },
  {
    name: "a compaction",
    text:
      start +
      thoughtItem(0, "rs_1", ["a"]) +
      added(1, { type: "compaction", id: "c", encrypted_content: "e" }) +
      done(1, { type: "compaction", id: "c", encrypted_content: "e" }) +
      completed(),
    takeovers: 1,
  },
  {
    name: "several calls in one",
    text:
      start +
      textItem(0, "msg_1", "a") +
      added(1, call("p", "", { name: "parallel" })) +
      args(1, "{}") +
      done(1, call("p", "{}", { name: "parallel" })) +
      completed(),
    takeovers: 1,
  },
  {
    name: "a call in a namespace",
    text:
      start +
      added(0, call("a", "")) +
      args(0, "{") +
      args(0, "}") +
      done(0, call("a", "{}", { namespace: "n" })) +
      completed(),
    takeovers: 1,
  },
  {
    name: "log probabilities",
    text:
      start +
      added(0, message("m_1")) +
      text(0, "m_1", "a", { logprobs: [{ token: "a", logprob: -1, top_logprobs: [] }] }) +
      done(0, message("m_1")) +
      completed(),
    takeovers: 1,
  },
  {
    name: "an error first",
    text: event({
      type: "error",
      sequence_number: 1,
      error: { type: "server_error", code: "server_error", message: "Overloaded", param: null },
    }),
    takeovers: 1,
  },
  {
    name: "an error after it was accepted",
    text: start + event({ type: "error", sequence_number: 1, code: "insufficient_quota", message: "Pay", param: null }),
    takeovers: 1,
  },
  {
    name: "failed before output",
    text: start + failed({ code: "rate_limit_exceeded", message: "Slow down" }),
    takeovers: 1,
  },
  { name: "failed without a reason", text: start + failed(null), takeovers: 1 },
  {
    name: "an error after text",
    text:
      start +
      added(0, message("m_1")) +
      text(0, "m_1", "a") +
      text(0, "m_1", "b") +
      event({
        type: "error",
        sequence_number: 9,
        error: { type: "server_error", code: null, message: "x", param: null },
      }),
    takeovers: 1,
  },
  {
    name: "failed after text",
    text: start + textItem(0, "msg_1", "a") + failed({ code: "server_error", message: "x" }, { usage }),
    takeovers: 1,
  },
  { name: "chat completions by mistake", text: chunk({ content: "a" }) + chunk({}, "stop"), takeovers: 1 },
  { name: "no JSON", text: `${start}${textItem(0, "msg_1", "a")}data: {"type":\n\n${completed()}`, takeovers: 1 },
  {
    name: "a wrong shape",
    text: start + event({ type: "response.output_text.delta", item_id: 5, delta: "a" }) + completed(),
    takeovers: 1,
  },
  { name: "cut off in the text", text: start + added(0, message("m_1")) + text(0, "m_1", "a") },
  { name: "cut off in a call", text: start + added(0, call("a", "")) + args(0, "{") },
  { name: "cut off before the last event", text: start + textItem(0, "msg_1", "a") },
  { name: "nothing", text: "" },
  {
    name: "unknown fields everywhere",
    text:
      event({ type: "response.created", x: 1, response: { ...response, y: { z: 1 } } }) +
      added(0, message("m_1", { w: 1 })) +
      text(0, "m_1", "a", { v: 1 }) +
      done(0, message("m_1", { u: 1 })) +
      completed({ t: 1, output: [message("m_1")] }),
  },
]
