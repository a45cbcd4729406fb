// The tools that every agent of the chat service has, unless its configuration omits them.
import { escalateTool } from "./escalation/tools.ts"
import { interactionTools } from "./interactions/tools/request-interaction.ts"
import { submitInteractionTool } from "./interactions/tools/submit-interaction.ts"
import type { Tool } from "../../tools/tool.ts"

export function serviceTools(): readonly Tool[] {
  return [escalateTool(), ...interactionTools(), submitInteractionTool()]
}
