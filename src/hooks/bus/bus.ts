// Asks the handlers of one event, one after the other, and says what comes of it. Nobody who talks nonsense, comes too
// late or fails can stop a call, unless it is a guard: then the call is blocked, and the reason says so.
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookEvent } from "../../protocols/extension/frames.ts"
import { readAction } from "../../protocols/extension/read-action.ts"
import { cutAtBytes } from "../../protocols/extension/truncate-output.ts"
import type { Subscription } from "../discovery/manifest.ts"
import { matcherFor } from "./matches.ts"

export interface Handler extends Subscription {
  readonly extension: string
  readonly isGuard: boolean
  /** Whether it may put another output in the place of a tool's. */
  readonly mayReplace: boolean
  readonly handle: (event: HookEvent) => Promise<Handled>
}

export type Handled =
  | { readonly kind: "result"; readonly value: JsonValue }
  | { readonly kind: "failed"; readonly why: string }

/** What the handlers say of a tool call; `by` is the extension that said it. */
export type Ruling =
  | { readonly kind: "continue" }
  | { readonly kind: "block"; readonly by: string; readonly reason: string }
  | { readonly kind: "confirm"; readonly by: string; readonly message: string }
  | { readonly kind: "modify"; readonly by: string; readonly input: JsonValue }

export type Warn = (sentence: string) => void

type Heard =
  | { readonly kind: "action"; readonly action: HookAction }
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "malformed-modify" }

const goOn: Ruling = { kind: "continue" }
/** Bytes of an output that an extension puts in a tool's place. */
const maxReplacedBytes = 1024 * 1024

/** The first that blocks, asks or changes decides, and the others are not asked. */
export async function ruleOn(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<Ruling> {
  for (const handler of concerned(handlers, event)) {
    const ruling = rulingOf(handler, await hear(handler, event, warn))
    if (ruling.kind !== "continue") return ruling
  }
  return goOn
}

/** Guards are not passed over: after one that asks the others are asked too, and whoever blocks or changes decides. */
export async function ruleOfGuards(guards: readonly Handler[], event: HookEvent, warn: Warn): Promise<Ruling> {
  const questions: Extract<Ruling, { kind: "confirm" }>[] = []
  for (const guard of concerned(guards, event)) {
    const ruling = rulingOf(guard, await hear(guard, event, warn))
    if (ruling.kind === "confirm") questions.push(ruling)
    else if (ruling.kind !== "continue") return ruling
  }
  const [first] = questions
  return first === undefined ? goOn : { ...first, message: questions.map(({ message }) => message).join("\n\n") }
}

/** Everything that is to be added, in the order of the handlers; nothing if that is only white space. */
export async function collect(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<string | undefined> {
  const contents: string[] = []
  for (const handler of concerned(handlers, event)) {
    const heard = await hear(handler, event, warn)
    if (heard.kind === "action" && heard.action.action === "inject" && heard.action.content.trim() !== "")
      contents.push(heard.action.content)
  }
  return contents.length === 0 ? undefined : contents.join("\n\n")
}

/** The output that the first entitled handler puts in the tool's place, if one does. */
export async function replaceOutput(
  handlers: readonly Handler[],
  event: HookEvent,
  warn: Warn,
): Promise<{ readonly by: string; readonly output: string } | undefined> {
  for (const handler of concerned(handlers, event)) {
    const heard = await hear(handler, event, warn)
    if (heard.kind !== "action" || heard.action.action !== "replace") continue
    if (handler.mayReplace) return { by: handler.extension, output: cutAtBytes(heard.action.output, maxReplacedBytes) }
    warn(`${handler.extension} may not replace a tool's output without the permission tools.transform_output`)
  }
  return undefined
}

export async function tell(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<void> {
  for (const handler of concerned(handlers, event)) await hear(handler, event, warn)
}

/** For the end of a session: nobody waits for anybody. */
export async function tellAtOnce(handlers: readonly Handler[], event: HookEvent, warn: Warn): Promise<void> {
  await Promise.all(concerned(handlers, event).map((handler) => hear(handler, event, warn)))
}

/** A handler stands in the list as often as its manifest names the hook, and is asked as often. */
function concerned(handlers: readonly Handler[], event: HookEvent): readonly Handler[] {
  const matches = matcherFor(event)
  return handlers.filter((handler) => handler.kind === event.kind && matches(handler))
}

async function hear(handler: Handler, event: HookEvent, warn: Warn): Promise<Heard> {
  const handled = await handler.handle(event)
  if (handled.kind === "failed") {
    warn(`${handler.extension} gave no answer to ${event.kind}: ${handled.why}`)
    return { kind: "nothing", why: handled.why }
  }
  const read = readAction(event.kind, handled.value)
  if (read.kind !== "no-action") return read
  warn(`${handler.extension} answered ${event.kind} with ${read.what}`)
  return { kind: "nothing", why: `it answered with ${read.what}` }
}

function rulingOf({ extension: by, isGuard }: Handler, heard: Heard): Ruling {
  if (heard.kind === "malformed-modify")
    return { kind: "block", by, reason: "malformed modify: it names no input to put in place of the call's" }
  if (heard.kind === "nothing")
    return isGuard ? { kind: "block", by, reason: `the guard '${by}' gave no verdict: ${heard.why}` } : goOn
  const { action } = heard
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
      return goOn
  }
}
