// What a shell hook wants, from its exit code and output: exit code 2 or a JSON object on stdout, as in Claude Code.
import type { HookName } from "../../contract/rules/hook-settings.ts"
import { memberIn, textIn, tryParseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { HookAction, HookEvent } from "../../protocols/extension/frames.ts"
import { ownFields } from "../../contract/rules/tool-spellings.ts"
import type { PromptRefusal } from "../bus/bus.ts"

export interface EndedHook {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const blockCode = 2
const proceed: HookAction = { action: "continue" }

export function actionOf(name: HookName, ended: EndedHook, event: HookEvent): HookAction {
  const answer = tryParseJson(ended.stdout.trim())
  switch (name) {
    case "PreToolUse":
      return beforeTool(ended, answer, event)
    case "PostToolUse":
      return afterTool(ended, answer, event)
    case "UserPromptSubmit":
    case "SessionStart":
      return addedText(ended, answer)
    case "Stop":
    case "SessionEnd":
      return proceed
  }
}

/** Exit code 2, or a decision to block. */
export function promptRefusal({ code, stdout, stderr }: EndedHook): PromptRefusal | undefined {
  if (code === blockCode) return { kind: "refused", reason: reasonOr(stderr) }
  const answer = tryParseJson(stdout.trim())
  if (textIn(answer, "decision") !== "block") return undefined
  return { kind: "refused", reason: reasonOr(textIn(answer, "reason")) }
}

function beforeTool(ended: EndedHook, answer: JsonValue | undefined, { tool_name: tool }: HookEvent): HookAction {
  if (ended.code === blockCode) return { action: "block", reason: reasonOr(ended.stderr) }
  const specific = memberIn(answer, "hookSpecificOutput")
  const reason = textIn(specific, "permissionDecisionReason") ?? textIn(answer, "reason")
  const decision = textIn(specific, "permissionDecision") ?? textIn(answer, "decision")
  if (decision === "deny" || decision === "block") return { action: "block", reason: reasonOr(reason) }
  if (decision === "ask") return { action: "confirm", message: reasonOr(reason) }
  const updated = memberIn(specific, "updatedInput")
  return updated === undefined ? proceed : { action: "modify", input: ownFields(tool ?? "", updated) }
}

/** What the hook says is added to the tool's output, for the model. */
function afterTool(ended: EndedHook, answer: JsonValue | undefined, { tool_output: output }: HookEvent): HookAction {
  const specific = memberIn(answer, "hookSpecificOutput")
  const isBlocked = textIn(answer, "decision") === "block"
  const added = [
    ended.code === blockCode ? ended.stderr : undefined,
    isBlocked ? textIn(answer, "reason") : undefined,
    textIn(specific, "additionalContext"),
  ].filter((text) => text !== undefined && text.trim() !== "")
  if (added.length === 0) return proceed
  return {
    action: "replace",
    output: [output ?? "", ...added.map((text) => `[hook] ${text?.trim() ?? ""}`)].join("\n"),
  }
}

/** Plain stdout, or `additionalContext` of a JSON object. */
function addedText({ code, stdout }: EndedHook, answer: JsonValue | undefined): HookAction {
  if (code !== 0) return proceed
  const specific = textIn(memberIn(answer, "hookSpecificOutput"), "additionalContext")
  const isObject = typeof answer === "object" && answer !== null
  const content = (specific ?? (isObject ? "" : stdout)).trim()
  return content === "" ? proceed : { action: "inject", content }
}

function reasonOr(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "a hook of the configuration blocked it" : text.trim()
}
