// The tools that every agent of the network door has, unless its configuration leaves them out.
import { escalateTool } from "./escalate.ts"
import { interactionTools } from "./interaction-tools.ts"
import { submitInteractionTool } from "./submit-interaction.ts"
import type { Tool } from "./tool.ts"

export function serviceTools(): readonly Tool[] {
  return [escalateTool(), ...interactionTools(), submitInteractionTool()]
}
