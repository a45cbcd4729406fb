// The behaviour of the features, in the order in which the kernel calls their hooks. Their types are in feature-types.ts.
import { agentTree } from "../features/agent-tree/feature.ts"
import { approvals } from "../features/approvals/feature.ts"
import { budget } from "../features/budget/feature.ts"
import { escalation } from "../features/chat-service/escalation/feature.ts"
import { interactions } from "../features/chat-service/interactions/feature.ts"
import { verification } from "../features/chat-service/verification/feature.ts"
import { visits } from "../features/chat-service/visits/feature.ts"
import { workflow } from "../features/chat-service/workflow/feature.ts"
import { hibernation } from "../features/hibernation/feature.ts"
import { planMode } from "../features/plan-mode/feature.ts"
import { rewinding } from "../features/rewinding/feature.ts"
import { shells } from "../features/shells/feature.ts"
import { tasks } from "../features/tasks/feature.ts"
import { thinking } from "../features/thinking/feature.ts"
import { undo } from "../features/undo/feature.ts"
import { voting } from "../features/voting/feature.ts"
import type { Feature } from "./feature.ts"
import type { FeatureTypes } from "./feature-types.ts"

export const featureTable = {
  hibernation,
  approvals,
  agentTree,
  planMode,
  rewinding,
  shells,
  undo,
  voting,
  thinking,
  budget,
  tasks,
  visits,
  interactions,
  verification,
  escalation,
  workflow,
} satisfies { [Name in keyof FeatureTypes]: Feature<FeatureTypes[Name]["state"]> }

export const features: readonly Feature[] = Object.values(featureTable)
