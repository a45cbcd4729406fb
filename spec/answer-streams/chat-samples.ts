// Streams of chat completions, in the shapes that servers send.
import { head, chunk, start, usageChunk, done, end, text, call, begin, input } from "./chat-parts.ts"
import { data, type Sample } from "./events.ts"

const counted = (content: string, tokens: number) =>
  chunk({ content }, null, { usage: { prompt_tokens: 5, completion_tokens: tokens } })

export const chatSamples: readonly Sample[] = [
  {
    name: "an unclear call after usage in every chunk",
    text:
      start +
      counted("a", 1) +
      counted("b", 2) +
      text("c") +
      counted("d", 3) +
      begin(0, "", "ls") +
      chunk({}, "tool_calls"),
    takeovers: 1,
  },
  { name: "text", text: start + text("Hello") + text(", ") + text("world") + end },
  { name: "text of several scripts", text: start + text("Grüße, 世界 🚀") + text("é👩‍👩‍👧") + text("\u2028\u0000") + end },
  {
    name: "empty deltas between",
    text: start + text("a") + chunk({}) + text("") + chunk({ content: null }) + text("b") + end,
  },
  { name: "CRLF line ends", text: (start + text("a") + text("b") + end).replaceAll("\n", "\r\n") },
  { name: "CR line ends", text: (start + text("a") + text("b") + end).replaceAll("\n", "\r") },
  {
    name: "mixed line ends",
    text: `${start.replaceAll("\n", "\r\n")}${text("a").replaceAll("\n", "\r")}${text("b")}\r\n\n\r${end}`,
  },
  {
    name: "comments, ids and other fields",
    text: `: hi\n\nretry: 5\nid: 1\n${start}: PROCESSING\n\nfoo: bar\n${text("a")}data\n\nevent: x\n\n${end}`,
    takeovers: 1,
  },
  {
    name: "data in several lines",
    text: `${start}data: {"choices":\ndata:[{"index":0,\ndata: "delta":{"content":"x"}}]}\n\n${end}`,
  },
  { name: "a byte order mark", text: `\uFEFF${start}${text("\uFEFFa")}${end}` },
  { name: "no usage", text: start + text("a") + chunk({}, "stop") + done },
  { name: "no [DONE]", text: start + text("a") + chunk({}, "stop") },
  {
    name: "usage in every chunk",
    text:
      start +
      ["a", "b", "c"]
        .map((t, n) => chunk({ content: t }, null, { usage: { prompt_tokens: 5, completion_tokens: n } }))
        .join("") +
      end,
  },
  {
    name: "usage with nulls",
    text:
      start +
      text("a") +
      chunk({}, "stop") +
      data({
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 5,
          completion_tokens: null,
          prompt_tokens_details: null,
          completion_tokens_details: { reasoning_tokens: null },
        },
      }),
  },
  { name: "cut off by the limit", text: start + text("a") + chunk({}, "length") + usageChunk },
  { name: "filtered", text: start + text("a") + chunk({}, "content_filter") + done },
  { name: "an unknown finish reason", text: start + text("a") + chunk({}, "eos") + done },
  { name: "last text with the finish reason", text: start + chunk({ content: "a" }, "stop") + done },
  { name: "a refusal", text: start + chunk({ refusal: "I can" }) + chunk({ refusal: "not" }) + end },
  { name: "text and refusal in one chunk", text: start + chunk({ content: "a", refusal: "b" }) + end },
  {
    name: "one call",
    text:
      start +
      begin(0, "call_a", "read") +
      input(0, '{"pa') +
      input(0, 'th":"ä') +
      input(0, '"}') +
      chunk({}, "tool_calls") +
      usageChunk +
      done,
  },
  { name: "a call without arguments", text: start + begin(0, "call_a", "ls") + chunk({}, "tool_calls") + done },
  {
    name: "a call whose arguments come at once",
    text: start + begin(0, "call_a", "ls", "{}") + chunk({}, "tool_calls") + done,
  },
  {
    name: "text, then a call",
    text: start + text("Reading.") + begin(0, "call_a", "ls") + input(0, "{}") + chunk({}, "tool_calls") + done,
  },
  {
    name: "a call, then text",
    text: start + begin(0, "call_a", "ls") + input(0, "{}") + text("Done.") + chunk({}, "tool_calls") + done,
  },
  {
    name: "parallel calls one after the other",
    text:
      start +
      begin(0, "a", "ls") +
      input(0, "{}") +
      begin(1, "b", "read") +
      input(1, '{"path":') +
      input(1, '"x"}') +
      chunk({}, "tool_calls") +
      done,
  },
  {
    name: "parallel calls, interleaved",
    text:
      start +
      begin(1, "b", "read") +
      begin(0, "a", "ls") +
      input(1, '{"p') +
      input(0, "{") +
      input(1, '":1}') +
      input(0, "}") +
      chunk({}, "tool_calls") +
      done,
  },
  {
    name: "two calls in one chunk",
    text:
      start +
      chunk({
        tool_calls: [
          { index: 0, id: "a", function: { name: "ls", arguments: "{}" } },
          { index: 1, id: "b", function: { name: "ls", arguments: "" } },
        ],
      }) +
      chunk({
        tool_calls: [
          { index: 0, function: { arguments: " " } },
          { index: 1, function: { arguments: "{}" } },
        ],
      }) +
      chunk({}, "tool_calls") +
      done,
  },
  {
    name: "the id with every piece",
    text:
      start +
      begin(0, "a", "ls") +
      call(0, { id: "a", function: { arguments: "{}" } }) +
      call(0, { id: "", function: { name: "", arguments: " " } }) +
      chunk({}, "tool_calls") +
      done,
  },
  {
    name: "empty and absent pieces of arguments",
    text:
      start +
      begin(0, "a", "ls") +
      input(0, "") +
      call(0, { function: { arguments: null } }) +
      call(0, { function: {} }) +
      input(0, "{}") +
      chunk({}, "tool_calls") +
      done,
  },
  {
    name: "the name with every piece",
    text:
      start +
      begin(0, "a", "ls") +
      call(0, { function: { name: "ls", arguments: "{}" } }) +
      chunk({}, "tool_calls") +
      done,
    takeovers: 1,
  },
  {
    name: "one index for two calls",
    text: start + begin(0, "a", "ls", "{}") + begin(0, "b", "read", "{}") + chunk({}, "tool_calls") + done,
    takeovers: 1,
  },
  {
    name: "one id for two calls",
    text: start + begin(0, "a", "ls", "{}") + begin(1, "a", "ls", "{}") + chunk({}, "tool_calls") + done,
    takeovers: 1,
  },
  {
    name: "a call without an id",
    text: start + text("x") + call(0, { function: { name: "ls", arguments: "{}" } }) + chunk({}, "tool_calls") + done,
    takeovers: 1,
  },
  {
    name: "an unclear call after long arguments",
    text:
      start +
      text("x") +
      text("y") +
      begin(0, "a", "ls") +
      input(0, '{"a":') +
      input(0, "[1,") +
      input(0, "2]}") +
      begin(0, "b", "read") +
      input(0, "{}") +
      chunk({}, "tool_calls") +
      usageChunk +
      done,
    takeovers: 1,
  },
  {
    name: "an error first",
    text: data({ error: { message: "Overloaded", type: "server_error", code: null } }),
    takeovers: 1,
  },
  {
    name: "an error after the first chunk",
    text:
      start +
      data({ error: { message: "You are over quota", type: "insufficient_quota", code: "insufficient_quota" } }),
    takeovers: 1,
  },
  {
    name: "an error after text",
    text: start + text("a") + text("b") + data({ error: { message: "Overloaded", type: "server_error", code: 503 } }),
    takeovers: 1,
  },
  {
    name: "an error beside choices",
    text: start + text("a") + chunk({ content: "b" }, null, { error: { message: "x" } }) + end,
    takeovers: 1,
  },
  { name: "no JSON", text: `${start}${text("a")}data: {"choices": [\n\n${text("b")}${end}`, takeovers: 1 },
  { name: "no JSON at all", text: "data: <html>\n\n", takeovers: 1 },
  { name: "a chunk of a wrong shape", text: start + text("a") + data({ choices: "none" }) + end, takeovers: 1 },
  { name: "content that is no text", text: start + text("a") + chunk({ content: 5 }) + end, takeovers: 1 },
  {
    name: "keys that change prototypes",
    text: `${start}${text("a")}data: {"choices":[{"index":0,"delta":{"content":"b"}}],"__proto__":{"x":1}}\n\n${end}`,
    takeovers: 1,
  },
  {
    name: "a hidden key that changes prototypes",
    text: `${start}data: {"choices":[{"index":0,"delta":{"content":"b"}}],"\\u005f_proto__":{"x":1}}\n\n${end}`,
    takeovers: 1,
  },
  { name: "text about prototypes", text: start + text('obj.__proto__ and "constructor": x') + end },
  {
    name: "metadata later",
    text: data({ id: "", created: 0, model: "", choices: [], prompt_filter_results: [] }) + start + text("a") + end,
  },
  { name: "a placeholder with a date", text: data({ choices: [], created: 0 }) + start + text("a") + end },
  {
    name: "unknown fields everywhere",
    text:
      start +
      chunk({ content: "a", audio: { x: 1 }, foo: [] }, null, {
        system_fingerprint: "f",
        obfuscation: "xx",
        service_tier: "default",
      }) +
      end,
  },
  {
    name: "several choices",
    text:
      start +
      data({
        ...head,
        choices: [
          { index: 0, delta: { content: "a" } },
          { index: 1, delta: { content: "b" } },
        ],
      }) +
      end,
    takeovers: 1,
  },
  {
    name: "a null delta",
    text: start + data({ ...head, choices: [{ index: 0, delta: null, finish_reason: null }] }) + text("a") + end,
  },
  { name: "a long line", text: start + text("x".repeat(300_000)) + text("y") + end },
]
