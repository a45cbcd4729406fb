// Calls the handlers of one event in order and combines their answers. A handler that fails, answers late or answers
// something unreadable is skipped; if it is a guard, the call is blocked with the reason.
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookEvent } from "../../protocols/extension/frames.ts"
import { readAction } from "../../protocols/extension/hook-kinds.ts"
import { cutAtBytes } from "../../protocols/extension/hook-events.ts"
import type { Subscription } from "../discovery/manifest.ts"
import { sortedJson } from "../../protocols/extension/sorted-json.ts"

export interface Handler extends Subscription {
  readonly extension: string
  readonly isGuard: boolean
  /** Whether it may replace a tool's output. */
  readonly mayReplace: boolean
  readonly handle: (event: HookEvent) => Promise<Handled>
}

export type Handled =
  | { readonly kind: "result"; readonly value: JsonValue }
  | { readonly kind: "failed"; readonly reason: string }
  /** Of a shell hook before a prompt: the protocol of extensions has no answer for it. */
  | PromptRefusal

export interface PromptRefusal {
  readonly kind: "refused"
  readonly reason: string
}

/** What the handlers decide about a tool call; `by` is the deciding extension. */
export type Ruling =
  | { readonly kind: "continue" }
  | { readonly kind: "block"; readonly by: string; readonly reason: string }
  | { readonly kind: "confirm"; readonly by: string; readonly message: string }
  | { readonly kind: "modify"; readonly by: string; readonly input: JsonValue }

export type Warn = (sentence: string) => void

type HandlerResponse =
  | { readonly kind: "action"; readonly action: HookAction }
  | { readonly kind: "nothing"; readonly reason: string }
  | { readonly kind: "malformed-modify" }
  | PromptRefusal

const continueCall: Ruling = { kind: "continue" }
/** Bytes of a replaced output. */
const maxReplacedBytes = 1024 * 1024

/** The first handler that blocks, confirms or modifies decides; later handlers are not called. */
export async function decideOn(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<Ruling> {
  for (const handler of matchingHandlers(handlers, event)) {
    const ruling = rulingOf(handler, await callHandler(handler, event, warn))
    if (ruling.kind !== "continue") return ruling
  }
  return continueCall
}

/** All guards are called, also after one that confirms. The first that blocks or modifies decides. */
export async function decideByGuards(guards: readonly Handler[], event: HookEvent, warn: Warn): Promise<Ruling> {
  const questions: Extract<Ruling, { kind: "confirm" }>[] = []
  for (const guard of matchingHandlers(guards, event)) {
    const ruling = rulingOf(guard, await callHandler(guard, event, warn))
    if (ruling.kind === "confirm") questions.push(ruling)
    else if (ruling.kind !== "continue") return ruling
  }
  const [first] = questions
  return first === undefined
    ? continueCall
    : { ...first, message: questions.map(({ message }) => message).join("\n\n") }
}

/** All injected text in the order of the handlers; undefined if it is only white space. The first refusal decides. */
export async function collect(
  handlers: readonly Handler[],
  event: HookEvent,
  warn: Warn,
): Promise<string | PromptRefusal | undefined> {
  const contents: string[] = []
  for (const handler of matchingHandlers(handlers, event)) {
    const response = await callHandler(handler, event, warn)
    if (response.kind === "refused") return response
    if (response.kind === "action" && response.action.action === "inject" && response.action.content.trim() !== "")
      contents.push(response.action.content)
  }
  return contents.length === 0 ? undefined : contents.join("\n\n")
}

/** The output of the first handler that may replace it and does. */
export async function replaceOutput(
  handlers: readonly Handler[],
  event: HookEvent,
  warn: Warn,
): Promise<{ readonly by: string; readonly output: string } | undefined> {
  for (const handler of matchingHandlers(handlers, event)) {
    const response = await callHandler(handler, event, warn)
    if (response.kind !== "action" || response.action.action !== "replace") continue
    if (handler.mayReplace)
      return { by: handler.extension, output: cutAtBytes(response.action.output, maxReplacedBytes) }
    warn(`${handler.extension} needs the permission tools.transform_output to replace a tool's output`)
  }
  return undefined
}

export async function notify(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<void> {
  for (const handler of matchingHandlers(handlers, event)) await callHandler(handler, event, warn)
}

/** At the end of a session: in parallel. */
export async function notifyInParallel(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<void> {
  await Promise.all(matchingHandlers(handlers, event).map((handler) => callHandler(handler, event, warn)))
}

/** A handler is called once for each time its manifest names the hook. */
function matchingHandlers(handlers: readonly Handler[], event: HookEvent): readonly Handler[] {
  const matches = matcherFor(event)
  return handlers.filter((handler) => handler.kind === event.kind && matches(handler))
}

async function callHandler(handler: Handler, event: HookEvent, warn: Warn): Promise<HandlerResponse> {
  const handled = await handler.handle(event)
  if (handled.kind === "failed") {
    warn(`${handler.extension} did not answer ${event.kind}: ${handled.reason}`)
    return { kind: "nothing", reason: handled.reason }
  }
  if (handled.kind === "refused") return handled
  const read = readAction(event.kind, handled.value)
  if (read.kind !== "no-action") return read
  warn(`${handler.extension} answered ${event.kind} with ${read.problem}`)
  return { kind: "nothing", reason: `it answered with ${read.problem}` }
}

function rulingOf({ extension: by, isGuard }: Handler, response: HandlerResponse): Ruling {
  if (response.kind === "malformed-modify") return { kind: "block", by, reason: "malformed modify: it has no input" }
  if (response.kind === "refused") return { kind: "block", by, reason: response.reason }
  if (response.kind === "nothing")
    return isGuard
      ? { kind: "block", by, reason: `the guard '${by}' gave no decision: ${response.reason}` }
      : continueCall
  const { action } = response
  switch (action.action) {
    case "block":
      return { kind: "block", by, reason: action.reason }
    case "confirm":
      return { kind: "confirm", by, message: action.message }
    case "modify":
      return { kind: "modify", by, input: action.input }
    case "continue":
    case "inject":
    case "replace":
      return continueCall
  }
}

/** Serialises the input at most once for all handlers of an event. */
export function matcherFor(event: HookEvent): (subscription: Subscription) => boolean {
  let input: string | undefined
  const inputText = () => (input ??= sortedJson(event.tool_input))
  return ({ tool, match }) => {
    if (tool !== undefined && tool !== event.tool_name && tool !== event.tool_runtime_name) return false
    const { input_contains: part, input_equals: whole } = match ?? {}
    if (whole !== undefined && whole !== null && sortedJson(whole) !== inputText()) return false
    return typeof part !== "string" || inputText().includes(part)
  }
}
