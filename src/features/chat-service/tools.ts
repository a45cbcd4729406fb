// The tools that every agent of the chat service has, unless its configuration omits them.
import { escalateTool } from "./escalation/tools.ts"
import { interactionTools, submitInteractionTool } from "./interactions/tools.ts"
import type { Tool } from "../../tools/tool.ts"

export function serviceTools(): readonly Tool[] {
  return [escalateTool(), ...interactionTools(), submitInteractionTool()]
}
