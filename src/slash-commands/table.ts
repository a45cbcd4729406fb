// Every slash command that Turnhouse itself has. A new command is one entry in one of these groups.
import type { SlashCatalogue, SlashGroup } from "./command.ts"
import { agentCommands } from "./commands/agents.ts"
import { approvalCommands } from "./commands/approvals.ts"
import { conversationCommands } from "./commands/conversation.ts"
import { helpCommands } from "./commands/help.ts"
import { modelCommands } from "./commands/model.ts"
import { planCommands } from "./commands/plan-mode.ts"
import { promptCommands } from "./commands/prompts.ts"
import { shellCommands } from "./commands/shells.ts"
import { taskCommands } from "./commands/tasks.ts"
import { toolCommands } from "./commands/tools.ts"
import { unavailableCommands } from "./commands/unavailable.ts"
import { votingCommands } from "./commands/voting.ts"

/** In the order of the help. */
const groups: readonly SlashGroup[] = [
  helpCommands,
  conversationCommands,
  modelCommands,
  toolCommands,
  votingCommands,
  promptCommands,
  planCommands,
  taskCommands,
  shellCommands,
  approvalCommands,
  agentCommands,
]

const all = [...groups.flatMap(({ commands }) => commands), ...unavailableCommands]

export const slashCatalogue: SlashCatalogue = {
  groups,
  byName: new Map(all.map((command) => [command.name, command])),
}
