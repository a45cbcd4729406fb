// Every command that is known by itself. The order of the groups is that of the help.
import { absentCommands } from "./commands/unavailable.ts"
import { agentCommands } from "./commands/agents.ts"
import { approvalCommands } from "./commands/approvals.ts"
import { conversationCommands } from "./commands/conversation.ts"
import { helpCommands } from "./commands/help.ts"
import { modelCommands } from "./commands/model.ts"
import { planCommands } from "./commands/plan-mode.ts"
import { promptCommands } from "./commands/prompts.ts"
import type { SlashCatalogue, SlashGroup } from "./command.ts"
import { taskCommands } from "./commands/tasks.ts"
import { toolCommands } from "./commands/tools.ts"
import { votingCommands } from "./commands/voting.ts"

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
