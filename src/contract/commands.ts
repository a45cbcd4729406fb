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
    /** While a turn runs: refuse, wait for the next turn, or join the running turn before its next step. */
    ifBusy: z.enum(["refuse", "wait", "steer"]),
    untrustedSource: z.string().optional(),
    /** For the turn that it starts, and no other. */
    model: z.string().min(1).max(limits.nameLength).optional(),
    skill: z.string().min(1).max(limits.nameLength).optional(),
    /** Files for tools, not for the model. */
    files: z.array(Attachment).optional(),
    /** The sender's name for it, returned on its connection. The same text under the same name is the same prompt while it waits or runs. */
    reference: z.string().max(limits.nameLength).optional(),
    /** It may be a retry of an equal prompt whose turn has ended: of any prompt, or only of the session's newest. */
    retries: z.enum(["any", "newest"]).optional(),
    /** Refused unless this plan is open. */
    planId: PlanId.optional(),
    /** The visit that sends it: its turn may do what this visit was verified for. */
    visitId: VisitId.optional(),
  }),
  command("withdraw", { promptId: PromptId }),
  /** With a turn id, only that turn is interrupted; another turn that runs by now is not. */
  command("interrupt", { turnId: TurnId.optional() }),
  /** Continues a parked turn. */
  command("resume", {}),
  command("select-model", { model: z.string().min(1).max(limits.nameLength) }),
  command("select-tools", { mode: ToolMode }),
  /** `focus`: what the summary must keep above all. */
  command("compact", { focus: z.string().max(limits.nameLength).optional() }),
  command("clear-context", {}),
  command("alias", { alias: z.string().min(1).max(limits.nameLength) }),
  command("rename", { name: z.string().min(1).max(limits.nameLength) }),
  command("end", {
    reason: z.string().max(limits.nameLength).optional(),
    /** At once, interrupting the turn; or when no turn runs and no prompt waits. */
    when: z.enum(["now", "idle"]),
    /** Viewers are notified that the parent exits, also where the session ends at once. */
    parentExits: z.literal(true).optional(),
  }),

  /** Cancels `end` with `when: idle`, unless the parent sent it. */
  command("stay", {}),
] as const

export const sessionCommands = [
  ...kernelCommands,
  ...featureContracts.flatMap<FeatureContract["commands"][number]>((contract) => contract.commands),
]
export type SessionCommand = z.infer<(typeof sessionCommands)[number]>
export type CommandOf<Type extends SessionCommand["type"]> = Extract<SessionCommand, { type: Type }>
