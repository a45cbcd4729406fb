// Every command that is known by itself. The order of the groups is that of the help.
import { absentCommands } from "./absent-commands.ts"
import { agentCommands } from "./agent-commands.ts"
import { approvalCommands } from "./approval-commands.ts"
import { conversationCommands } from "./conversation-commands.ts"
import { helpCommands } from "./help-commands.ts"
import { modelCommands } from "./model-commands.ts"
import { planCommands } from "./plan-commands.ts"
import { promptCommands } from "./prompt-commands.ts"
import type { SlashCatalogue, SlashGroup } from "./step.ts"
import { taskCommands } from "./task-commands.ts"
import { toolCommands } from "./tool-commands.ts"
import { votingCommands } from "./voting-commands.ts"

const groups: readonly SlashGroup[] = [
  helpCommands,
  conversationCommands,
  modelCommands,
  toolCommands,
  votingCommands,
  promptCommands,
  planCommands,
  taskCommands,
  approvalCommands,
  agentCommands,
]

const all = [...groups.flatMap(({ commands }) => commands), ...absentCommands]

export const slashCatalogue: SlashCatalogue = {
  groups,
  byName: new Map(all.map((command) => [command.name, command])),
}
