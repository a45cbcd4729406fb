// Hooks of the configuration: shell commands in the format of Claude Code's settings. They are handlers of the same bus as
// extensions and come after them. A command that fails or takes too long has no effect, as there.
import type { HookAction, HookEvent, HookKind } from "../../protocols/extension/frames.ts"
import { fitsGlob } from "../../contract/text/glob.ts"
import { hookNames, type HookEntry, type HookName } from "../../contract/rules/hook-settings.ts"
import { canonicalToolName } from "../../contract/rules/core-tools.ts"
import { messageOf } from "../../contract/faults.ts"
import type { Handled, Handler } from "../bus/bus.ts"
import { actionOf, promptRefusal } from "./hook-answer.ts"
import { eventsOf, foreignName, hookInput, MAX_PATCHED_FILES } from "./hook-input.ts"
import { runHook, type HookLife, type HookProcessDeps } from "./run-hook.ts"

type HookSettings = { readonly [Name in HookName]?: readonly HookEntry[] | undefined }
type Command = HookEntry["hooks"][number]

/** The event of the bus that each hook hears. */
const kinds: Readonly<Record<HookName, HookKind>> = {
  PreToolUse: "before_tool_call",
  PostToolUse: "after_tool_call",
  UserPromptSubmit: "before_message",
  Stop: "on_message_complete",
  SessionStart: "on_session_start",
  SessionEnd: "on_session_end",
}
const defaultTimeoutSeconds = 60

/** The hooks of one configuration and folder, for any number of session trees. */
export interface ShellHooks {
  handlersFor(life: HookLife): readonly Handler[]
}

export function shellHooks(settings: HookSettings, deps: HookProcessDeps): ShellHooks {
  const run: RunCommand = (name, { command, timeout = defaultTimeoutSeconds }, event, life) =>
    runHook(command, hookInput(name, event, deps.cwd), timeout * 1000, deps, life)
  return {
    handlersFor: (life) =>
      hookNames.flatMap((name) =>
        (settings[name] ?? []).flatMap((entry) =>
          entry.hooks.map((command) => handlerOf(name, entry, (event) => run(name, command, event, life))),
        ),
      ),
  }
}

type RunCommand = (name: HookName, command: Command, event: HookEvent, life: HookLife) => ReturnType<typeof runHook>

export function handlerOf(
  name: HookName,
  { matcher }: HookEntry,
  run: (event: HookEvent) => ReturnType<typeof runHook>,
): Handler {
  return {
    extension: `hooks.${name}`,
    kind: kinds[name],
    tool: undefined,
    match: undefined,
    isGuard: false,
    mayReplace: true,
    handle: async (event) => (isFor(name, matcher, event) ? handled(name, event, run) : nothing),
  }
}

const nothing: Handled = { kind: "result", value: { action: "continue" } }

function isFor(name: HookName, matcher: string | undefined, event: HookEvent): boolean {
  if (name === "Stop") return !hasToolUse(event)
  return event.tool_name === null || matchesTool(matcher, event.tool_name)
}

/** Between two tool calls an answer is not the end of a turn. */
function hasToolUse({ data }: HookEvent): boolean {
  return typeof data === "object" && data !== null && "has_tool_use" in data && data["has_tool_use"] === true
}

/** Names of tools, ours or Claude Code's, separated by `|`; `*` and `.*` stand for any text. */
export function matchesTool(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true
  const names = tool === "apply_patch" ? [tool, "edit", "write"] : [tool]
  return matcher
    .split("|")
    .map((name) => name.trim().replaceAll(".*", "*"))
    .some((pattern) =>
      names.some((name) => fitsGlob(canonicalToolName(pattern), name) || fitsGlob(pattern, foreignName(name))),
    )
}

const tooManyFiles: Handled = {
  kind: "result",
  value: { action: "block", reason: `hooks check at most ${MAX_PATCHED_FILES} files of a patch; make several patches` },
}

async function handled(
  name: HookName,
  event: HookEvent,
  run: (event: HookEvent) => ReturnType<typeof runHook>,
): Promise<Handled> {
  try {
    return await overEvents(name, event, run)
  } catch (fault) {
    return { kind: "failed", reason: messageOf(fault) }
  }
}

/** A block counts at once; a file whose hook fails does not keep the hooks of the others from deciding. */
async function overEvents(
  name: HookName,
  event: HookEvent,
  run: (event: HookEvent) => ReturnType<typeof runHook>,
): Promise<Handled> {
  const events = eventsOf(event)
  if (name === "PreToolUse" && events.length > MAX_PATCHED_FILES) return tooManyFiles
  let action: HookAction | undefined
  let failure: string | undefined
  for (const part of events.slice(0, MAX_PATCHED_FILES)) {
    const current = action?.action === "replace" ? { ...part, tool_output: action.output } : part
    const ended = await run(current)
    if (typeof ended === "string") failure = ended
    const refusal = name === "UserPromptSubmit" && typeof ended !== "string" ? promptRefusal(ended) : undefined
    if (refusal !== undefined) return refusal
    const next = typeof ended === "string" ? undefined : actionOf(name, ended, current)
    if (next?.action === "block") return { kind: "result", value: next }
    const isForPart = next?.action === "modify" && part !== event // an input for one file is not a patch
    if (next !== undefined && next.action !== "continue" && !isForPart) action = next
  }
  if (action === undefined && failure !== undefined) return { kind: "failed", reason: failure }
  return action === undefined ? nothing : { kind: "result", value: action }
}
