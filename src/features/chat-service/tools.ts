// The tools that every agent of the network door has, unless its configuration leaves them out.
import { escalateTool } from "./escalation/tools.ts"
import { interactionTools } from "./interactions/tools/request-interaction.ts"
import { submitInteractionTool } from "./interactions/tools/submit-interaction.ts"
import type { Tool } from "../../tools/tool.ts"

export function serviceTools(): readonly Tool[] {
  return [escalateTool(), ...interactionTools(), submitInteractionTool()]
}
