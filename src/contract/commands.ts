// Commands of a session. The door knows its client and sets `by`; it is never read from a frame.
import { z } from "zod"
import { command } from "./define.ts"
import { featureContracts, type FeatureContract } from "./features.ts"
import { limits } from "./limits.ts"
import { PlanId, PromptId, TurnId, VisitId } from "./ids.ts"
import { Attachment, ToolMode } from "./values.ts"

const kernelCommands = [
  command("prompt", {
    promptId: PromptId,
    text: z.string(),
    attachments: z.array(Attachment).optional(),
    /** What to do while a turn runs: refuse, wait for the next turn, or slip in at the next tool boundary. */
    ifBusy: z.enum(["refuse", "wait", "steer"]),
    untrustedSource: z.string().optional(),
    /** For the turn that it begins, and for no other. */
    model: z.string().min(1).max(limits.nameLength).optional(),
    skill: z.string().min(1).max(limits.nameLength).optional(),
    /** Files that are for tools and not for the model. */
    files: z.array(Attachment).optional(),
    /** What its sender calls it, given back on their wire. Equal words under the same name are the same prompt while it waits or runs. */
    reference: z.string().max(limits.nameLength).optional(),
    /** It may be a retry of an equal prompt whose turn is over: of any, or only of the newest prompt of the session. */
    retries: z.enum(["any", "newest"]).optional(),
    /** Words for this plan and nowhere else: refused where it is not the one that is open. */
    planId: PlanId.optional(),
    /** The visit in which it is said: its turn may do what this visit has been verified for. */
    visitId: VisitId.optional(),
  }),
  command("withdraw", { promptId: PromptId }),
  /** Only of the given turn, where one is named: another one that runs by now is left alone. */
  command("interrupt", { turnId: TurnId.optional() }),
  /** Goes on with a turn that is parked. */
  command("resume", {}),
  command("select-model", { model: z.string().min(1).max(limits.nameLength) }),
  command("select-tools", { mode: ToolMode }),
  command("compact", {}),
  command("clear-context", {}),
  command("alias", { alias: z.string().min(1).max(limits.nameLength) }),
  command("rename", { name: z.string().min(1).max(limits.nameLength) }),
  command("end", {
    reason: z.string().max(limits.nameLength).optional(),
    /** At once, interrupting what runs; or when nothing runs and nothing waits any more. */
    when: z.enum(["now", "idle"]),
    /** Viewers are told that the parent is leaving, also where the session ends at once. */
    parentExits: z.literal(true).optional(),
  }),

  /** Takes back that it is to end when idle, unless its parent wanted that. */
  command("stay", {}),
] as const

export const sessionCommands = [
  ...kernelCommands,
  ...featureContracts.flatMap<FeatureContract["commands"][number]>((contract) => contract.commands),
]
export type SessionCommand = z.infer<(typeof sessionCommands)[number]>
export type CommandOf<Type extends SessionCommand["type"]> = Extract<SessionCommand, { type: Type }>
