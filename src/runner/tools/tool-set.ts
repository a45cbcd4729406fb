// Which tools a turn has. The same rules decide what is offered to the model and which calls may run.
import { settingsOf } from "../../contract/rules/session-settings.ts"
import { capabilityOf, interactionKinds, submitTool } from "../../contract/rules/interactions.ts"
import type { InteractionKind } from "../../contract/values.ts"
import type { SessionState } from "../../session/state.ts"
import { canonicalToolName, coreToolNames, isOfferedTo, leadingTool } from "../../contract/rules/core-tools.ts"
import { namesTool } from "../../contract/rules/server-tools.ts"
import { isAgentTool, type Tool } from "../../tools/tool.ts"

type NamedTool = Pick<Tool, "name" | "isReadOnly">

export function toolsOfTurn(state: SessionState, tools: readonly Tool[]): readonly Tool[] {
  return tools.filter((tool) => toolRefusal(state, tool) === undefined)
}

/** False where the turn has no tools at all. */
export function usesTools({ turn, toolMode }: SessionState): boolean {
  return (turn?.toolMode ?? toolMode) !== "None"
}

/** Why the running turn does not have a tool, as a sentence for the model. */
export function toolRefusal(state: SessionState, named: NamedTool): string | undefined {
  return planModeRefusal(state, named) ?? toolModeRefusal(state, named.name)
}

/** Names and a tool's own description prove nothing: only built-in tools carry the mark. */
export function planModeRefusal({ turn, plan }: SessionState, { name, isReadOnly }: NamedTool): string | undefined {
  const planId = turn === undefined ? plan?.id : turn.planId
  if (planId === undefined || isReadOnly === true) return undefined
  return `Plan mode allows no ${name}: nothing may be changed.`
}

function toolModeRefusal(state: SessionState, tool: string): string | undefined {
  if (isAgentTool(tool) && !mayHaveAgents(state)) return "This session can have no agents."
  if (tool === "ask" && settingsOf(state.created).hasVisitors) return "Visitors are asked with request_choices."
  if (tool === submitTool && interactionKinds.every((kind) => canShow(state, kind)))
    return "The visitor's client shows cards; their answers come by themselves."
  const mode = state.turn?.toolMode ?? state.toolMode
  if (mode === "None") return "This session uses no tools."
  if (typeof mode === "string" && !isOfferedTo(tool, state.turn?.model ?? state.model))
    return `${tool} is for other models; use edit and write.`
  if (mode === "Full" || mode === "Smart") return undefined
  const toolNames: readonly string[] =
    mode === "Core" ? [...coreToolNames, "apply_patch"] : mode.Explicit.map(canonicalToolName)
  return toolNames.includes(leadingTool(tool)) || toolNames.some((name) => namesTool(name, tool))
    ? undefined
    : `The tool mode of this session leaves ${tool} out.`
}

/** Whether the visitor's client can show a card of this kind. */
export function canShow({ visit }: SessionState, kind: InteractionKind): boolean {
  return visit?.supports.includes(capabilityOf[kind]) === true
}

/** Not where the tree has reached its depth, and not where visitors talk to the session. */
function mayHaveAgents({ created }: SessionState): boolean {
  if (created === undefined || !settingsOf(created).hasAgents || created.limits.children === 0) return false
  return (created.parent?.depth ?? 0) < created.limits.depth
}
