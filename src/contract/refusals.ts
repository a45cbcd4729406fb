// Expected "no" answers as values with a code. Each door maps them in its error table; `describeRefusal`
// (describe-refusal.ts) has the text for people.
import { z } from "zod"
import { refusal } from "./define.ts"
import { featureContracts, type FeatureContract } from "./features.ts"
import { PromptId, SessionId } from "./ids.ts"
import { Role } from "./values.ts"

const kernelRefusals = [
  refusal("session.busy", {}),
  refusal("session.unknown", { wanted: z.string() }),
  refusal("session.ambiguous", { wanted: z.string(), candidates: z.array(SessionId) }),
  refusal("session.owned", { sessionId: SessionId, owner: z.string(), pid: z.int() }),
  refusal("session.elsewhere", { sessionId: SessionId, place: z.string(), node: z.string().optional() }),
  refusal("session.damaged", { sessionId: SessionId, seq: z.int(), what: z.string() }),
  refusal("session.newer", { sessionId: SessionId, seq: z.int(), type: z.string(), version: z.int(), known: z.int() }),
  refusal("session.exists", { sessionId: SessionId }),
  refusal("prompt.conflict", { promptId: PromptId }),
  refusal("prompt.empty", {}),
  refusal("prompt.too-large", { bytes: z.int(), limit: z.int() }),
  refusal("prompt.repeated", { promptId: PromptId, seq: z.int() }),
  refusal("prompt.unknown", { promptId: PromptId }),
  refusal("queue.full", { limit: z.int() }),
  refusal("role.missing", { role: Role }),
  refusal("key.bad", {}),
  refusal("key.narrow", { what: z.string() }),
  refusal("turn.not-parked", {}),
  refusal("command.unknown", { name: z.string() }),
  refusal("command.failed", { name: z.string(), what: z.string() }),
  refusal("report.stale", {}),
  refusal("frame.bad", { what: z.string() }),
  refusal("agents.too-many", { limit: z.int() }),
  refusal("config.bad", { what: z.string() }),
  refusal("folder.missing", { path: z.string() }),
  refusal("host.gone", {}),
  refusal("host.leaving", {}),
  refusal("host.unreachable", { what: z.string() }),
  /** `nodes`: those that can be chosen; none if the home is not part of a cluster. */
  refusal("node.unknown", { wanted: z.string(), nodes: z.array(z.string()) }),
  refusal("host.exists", { role: z.string(), hostId: z.string(), pid: z.int() }),
  refusal("log.fenced", { sessionId: SessionId }),
  refusal("log.conflict", { sessionId: SessionId, expectedSeq: z.int(), seq: z.int() }),
  refusal("log.unavailable", { what: z.string() }),
] as const

export const refusals = [
  ...kernelRefusals,
  ...featureContracts.flatMap<FeatureContract["refusals"][number]>((contract) => contract.refusals),
]
export type Refusal = z.infer<(typeof refusals)[number]>
