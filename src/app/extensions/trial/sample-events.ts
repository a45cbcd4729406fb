// Sample events, one for each hook that an extension subscribes to, in the order of a session. They match the conditions
// of the manifest where possible.
import { tryParseJson } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { matcherFor } from "../../../hooks/bus/bus.ts"
import type { Subscription } from "../../../hooks/discovery/manifest.ts"
import { modelNames } from "../../../hooks/bus/tool-names.ts"
import type { HookEvent, HookKind } from "../../../protocols/extension/frames.ts"
import * as events from "../../../protocols/extension/hook-events.ts"

export interface SampleCall {
  readonly subscription: Subscription
  readonly event: HookEvent
  /** False if no sample matches the subscription: a session would not call it for this one. */
  readonly fits: boolean
}

const sessionId = "019a8e5c-0000-7000-8000-000000000001"
const prompt = "Say hello."
const answered = "Hello."
const usage = {
  input_tokens: 120,
  output_tokens: 8,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_5m: 0,
  cache_creation_1h: 0,
}

/** In the order of a session. */
const samples: Readonly<Record<HookKind, (subscription: Subscription) => HookEvent>> = {
  on_session_start: () => events.onSessionStart(sessionId),
  before_message: () => events.beforeMessage(prompt, sessionId),
  on_message_complete: () => events.onMessageComplete({ text: answered, blocks: 1, hasToolUse: false }, sessionId),
  on_usage: () => events.onUsage({ provider: "offline", model: "demo", session_id: sessionId, usage }, sessionId),
  before_tool_call: (subscription) => events.beforeToolCall(toolFor(subscription), sessionId),
  after_tool_call: (subscription) => events.afterToolCall(toolFor(subscription), "hello\n", sessionId),
  on_compaction: () => events.onCompaction({ summary: prompt, messages: 2, source: "manual" }, sessionId),
  on_session_end: () =>
    events.onSessionEnd(sessionId, [
      { role: "user", content: prompt },
      { role: "assistant", content: [{ type: "text", text: answered }] },
    ]),
}

export function sampleCalls(subscriptions: readonly Subscription[]): readonly SampleCall[] {
  const order = Object.keys(samples)
  return subscriptions
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
    .map((subscription) => {
      const event = samples[subscription.kind](subscription)
      return { subscription, event, fits: matcherFor(event)(subscription) }
    })
}

function toolFor(subscription: Subscription): events.HookedTool {
  const runtimeName = subscription.tool ?? "bash"
  const name = modelNames([runtimeName], []).get(runtimeName) ?? runtimeName
  const tools = inputsFor(subscription, name).map((input) => ({ name, runtimeName, input }))
  const fitting = tools.find((tool) => matcherFor(events.beforeToolCall(tool, sessionId))(subscription))
  return fitting ?? { name, runtimeName, input: defaultInput(name) }
}

function inputsFor({ match }: Subscription, name: string): readonly JsonValue[] {
  const { input_equals: whole, input_contains: part } = match ?? {}
  const defaults = defaultInput(name)
  if (whole !== undefined && whole !== null) return [whole]
  if (typeof part !== "string") return [defaults]
  const withPart = Object.fromEntries(Object.keys(defaults).map((key) => [key, part]))
  return [defaults, withPart, ...parsed(part), ...parsed(`{${part}}`)]
}

function defaultInput(name: string): Record<string, JsonValue> {
  return name === "bash" ? { command: "echo hello" } : { path: "README.md" }
}

/** Nothing if it is not JSON: the condition matches a part of one. */
function parsed(text: string): readonly JsonValue[] {
  const value = tryParseJson(text)
  return value === undefined ? [] : [value]
}
