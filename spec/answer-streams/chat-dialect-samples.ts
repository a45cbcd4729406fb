// Streams of chat completions that are cut off, or that the packages for OpenAI and for other servers map differently.
import { head, chunk, start, done, end, text, call, begin, input } from "./chat-parts.ts"
import { data, type Sample } from "./events.ts"

/** Where servers other than OpenAI have their own ways. */
export const compatibleSamples: readonly Sample[] = [
  {
    name: "thoughts, then text",
    text:
      start +
      chunk({ reasoning_content: "Let me " }) +
      chunk({ reasoning_content: "see" }) +
      text("It") +
      text(" is") +
      end,
  },
  {
    name: "thoughts as reasoning",
    text: start + chunk({ reasoning: "Hm", reasoning_details: [{ type: "x" }] }) + text("a") + end,
  },
  {
    name: "thoughts and text in one chunk",
    text: start + chunk({ reasoning_content: "a", content: "b" }) + chunk({ reasoning_content: "c" }) + end,
  },
  {
    name: "thoughts, then a call",
    text:
      start +
      chunk({ reasoning_content: "a" }) +
      chunk({ reasoning_content: "b" }) +
      begin(0, "a", "ls") +
      input(0, "{}") +
      chunk({}, "tool_calls") +
      done,
  },
  { name: "text, thoughts, text", text: start + text("a") + chunk({ reasoning: "b" }) + text("c") + end },
  { name: "thoughts only", text: start + chunk({ reasoning_content: "a" }) + chunk({}, "length") + done },
  {
    name: "a call without index",
    text:
      start +
      chunk({ reasoning_content: "a" }) +
      chunk({ tool_calls: [{ id: "a", function: { name: "ls", arguments: "{}" } }] }) +
      chunk({}, "tool_calls") +
      done,
    takeovers: 1,
  },
  {
    name: "a name that comes later",
    text:
      start +
      call(0, { id: "a", function: { arguments: "{" } }) +
      call(0, { function: { name: "ls", arguments: "}" } }) +
      chunk({}, "tool_calls") +
      done,
    takeovers: 1,
  },
  {
    name: "a signed call",
    text:
      start +
      call(0, {
        id: "a",
        function: { name: "ls", arguments: "{}" },
        extra_content: { google: { thought_signature: "sig" } },
      }) +
      chunk({}, "tool_calls") +
      done,
    takeovers: 1,
  },
  {
    name: "content in parts",
    text:
      start +
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }) +
      chunk({ content: [{ type: "text", text: "a" }] }) +
      text("b") +
      end,
    takeovers: 1,
  },
  {
    name: "annotations",
    text:
      start +
      chunk({ content: "a", annotations: [{ type: "url_citation", url_citation: { url: "http://x", title: "t" } }] }) +
      end,
  },
  {
    name: "no index of the choice",
    text:
      data({ ...head, choices: [{ delta: { role: "", content: "a" } }] }) +
      data({ choices: [{ delta: {}, finish_reason: "stop" }] }),
  },
]

/** What only OpenAI's package maps. */
export const openaiSamples: readonly Sample[] = [
  {
    name: "citations",
    text:
      start +
      chunk({ content: "a" }) +
      chunk({
        annotations: [
          { type: "url_citation", url_citation: { start_index: 0, end_index: 1, url: "http://x", title: "t" } },
        ],
      }) +
      text("b") +
      end,
    takeovers: 1,
  },
  {
    name: "log probabilities",
    text:
      start +
      data({
        ...head,
        choices: [
          { index: 0, delta: { content: "a" }, logprobs: { content: [{ token: "a", logprob: -1, top_logprobs: [] }] } },
        ],
      }) +
      end,
    takeovers: 1,
  },
  {
    name: "cache writes in the usage",
    text:
      start +
      text("a") +
      chunk({}, "stop") +
      data({
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 2,
          prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 },
        },
      }),
  },
  { name: "another role", text: start + chunk({ role: "user", content: "a" }) + end, takeovers: 1 },
]

/** Without the end that the format has. */
export const cutOffSamples: readonly Sample[] = [
  { name: "cut off in the text", text: start + text("a") + text("b") },
  { name: "cut off in a line", text: `${start}${text("a")}data: {"choices":[{"ind` },
  { name: "cut off in a character", text: `${start}${text("a")}data: ü` },
  { name: "cut off in a call", text: start + begin(0, "a", "ls") + input(0, '{"p') },
  { name: "nothing", text: "" },
  { name: "only [DONE]", text: done },
]
