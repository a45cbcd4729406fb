// Admitting prompts: a prompt is stored before anything acts on it, and the same id twice is the same prompt.
import type { CommandOf } from "../contract/commands.ts"
import type { EventOf, SessionEvent } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { Attachment } from "../contract/values.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import { promptDigest, referenceDigest } from "./digest.ts"
import { features } from "./features.ts"
import { isBusy, type PromptMark, type SessionState } from "./state.ts"

export function admitPrompt(state: SessionState, command: CommandOf<"prompt">, stamp: Stamp): Decision {
  const digest = promptDigest(command)
  const known = state.prompts.find((prompt) => prompt.id === command.promptId)
  if (known?.digest === digest) return accepted() // a retry after a lost reply
  if (known !== undefined) return refused({ code: "prompt.conflict", promptId: command.promptId })
  const repeated = repeatedPrompt(state, command, digest)
  if (repeated !== undefined) return refused({ code: "prompt.repeated", promptId: repeated.id, seq: repeated.seq })
  const problem = promptProblem(state, command)
  if (problem !== undefined) return refused(problem)
  const events: SessionEvent[] = state.life === "ended" ? [{ type: "session.reopened", by: stamp.by }] : []
  for (const feature of features) {
    const decision = feature.beforePrompt?.(state, command, stamp)
    if (decision?.kind === "refused") return decision
    events.push(...(decision?.events ?? []))
  }
  return accepted(...events, admitted(command, stamp))
}

/** The same text under the same reference. Once its turn is over it counts only where the sender allows retries. */
function repeatedPrompt(
  state: SessionState,
  { reference: name, retries }: CommandOf<"prompt">,
  digest: string,
): PromptMark | undefined {
  const reference = referenceDigest(name)
  if (reference === undefined) return undefined
  const found = state.prompts.findLast((prompt) => prompt.reference === reference && prompt.digest === digest)
  if (found === undefined) return undefined
  const isOpen = isWaiting(state, found) || (found.turnId !== undefined && found.turnId === state.turn?.id)
  const matchesRetry = retries === "any" || (retries === "newest" && found === state.prompts.at(-1))
  return isOpen || matchesRetry ? found : undefined
}

function isWaiting({ waiting }: SessionState, { id }: PromptMark): boolean {
  return waiting.some((prompt) => prompt.promptId === id)
}

export function withdrawPrompt(state: SessionState, command: CommandOf<"withdraw">, stamp: Stamp): Decision {
  const { promptId } = command
  if (!state.waiting.some((prompt) => prompt.promptId === promptId))
    return refused({ code: "prompt.unknown", promptId })
  return accepted({ type: "prompt.withdrawn", promptId, reason: `withdrawn by ${stamp.by.principal}` })
}

function admitted(command: CommandOf<"prompt">, stamp: Stamp): EventOf<"prompt.admitted"> {
  return {
    type: "prompt.admitted",
    promptId: command.promptId,
    text: command.text,
    attachments: command.attachments,
    delivery: command.ifBusy === "steer" ? "next-boundary" : "next-turn",
    by: stamp.by,
    untrustedSource: command.untrustedSource,
    model: command.model,
    skill: command.skill,
    files: command.files,
    reference: command.reference,
    visitId: command.visitId,
  }
}

function promptProblem(state: SessionState, command: CommandOf<"prompt">): Refusal | undefined {
  const bytes = Buffer.byteLength(command.text)
  if (bytes > limits.promptBytes) return { code: "prompt.too-large", bytes, limit: limits.promptBytes }
  if (command.text.trim() === "" && (command.attachments ?? []).length === 0) return { code: "prompt.empty" }
  if (command.ifBusy === "refuse" && (isBusy(state) || state.waiting.length > 0)) return { code: "session.busy" }
  const attached = sizeOf(command.attachments) + sizeOf(command.files)
  if (attached > limits.attachmentBytes)
    return { code: "prompt.too-large", bytes: attached, limit: limits.attachmentBytes }
  const waiting = state.waiting.reduce((sum, prompt) => sum + prompt.text.length + sizeOfFiles(prompt), 0)
  if (waiting + bytes + attached > limits.queuedBytes) return { code: "queue.full", limit: state.waiting.length }
  if (state.waiting.length >= limits.queuedPrompts) return { code: "queue.full", limit: limits.queuedPrompts }
  return undefined
}

function sizeOfFiles({ attachments, files }: EventOf<"prompt.admitted">): number {
  return sizeOf(attachments) + sizeOf(files)
}

function sizeOf(attachments: readonly Attachment[] | undefined): number {
  return (attachments ?? []).reduce((sum, { data = "", url = "" }) => sum + data.length + url.length, 0)
}
