// The steps that commands are made of. A refusal ends a command and is its answer.
import type { SessionCommand } from "../contract/commands.ts"
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../contract/host-commands.ts"
import type { Answered, SendOutcome } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Answers, Queries, QueryType } from "../contract/queries.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { SessionSnapshot } from "../contract/views/session-snapshot.ts"
import type { SlashAnswer, SlashCall, SlashPort, SlashStep } from "./command.ts"

export function done(action: string, output?: string): SlashAnswer {
  return { kind: "done", action, output }
}

export function failed(error: string): SlashAnswer {
  return { kind: "failed", error }
}

/** Answers with a list, or with `none` where it is empty. */
export function list(action: string, lines: readonly string[], none: string): SlashAnswer {
  return done(action, lines.length === 0 ? none : lines.join("\n"))
}

export function send(command: SessionCommand, next: SlashStep): SlashStep {
  return sendStep((port) => port.send(command), next)
}

/** Sends a prompt, which starts a turn or is queued. */
export function prompt(text: string, next: SlashStep = done("message_added", text)): SlashStep {
  return sendStep((port) => port.prompt(text), next)
}

/** Sends one command to each of these sessions, in order. */
export function sendTo(sessionIds: readonly SessionId[], command: SessionCommand, next: SlashStep): SlashStep {
  return sessionIds.reduceRight(
    (nextStep, sessionId) => sendStep((port) => port.sendTo(sessionId, command), nextStep),
    next,
  )
}

export function query<Type extends QueryType>(
  question: Queries[Type] & { readonly type: Type },
  next: (answer: Answers[Type]) => SlashStep,
  onRefusal?: (refusal: Refusal) => SlashStep,
): SlashStep {
  return requestStep((port) => port.query(question), next, onRefusal)
}

export function perform<Type extends HostCommandType>(
  command: HostCommands[Type] & { readonly type: Type },
  next: (result: HostCommandResults[Type]) => SlashStep,
  onRefusal?: (refusal: Refusal) => SlashStep,
): SlashStep {
  return requestStep((port) => port.perform(command), next, onRefusal)
}

/** The session as it is now. */
export function querySnapshot(
  { view: { sessionId } }: SlashCall,
  next: (snapshot: SessionSnapshot) => SlashStep,
  { turns = 1, onRefusal = refused }: { turns?: number; onRefusal?: (refusal: Refusal) => SlashStep } = {},
): SlashStep {
  return query({ type: "scene", sessionId, turns }, next, onRefusal)
}

function sendStep(act: (port: SlashPort) => Promise<SendOutcome>, next: SlashStep): SlashStep {
  const run = async (port: SlashPort) => {
    const sent = await act(port)
    return sent.kind === "refused" ? refused(sent.refusal) : next
  }
  return { kind: "step", run }
}

function requestStep<Value>(
  ask: (port: SlashPort) => Promise<Answered<Value>>,
  next: (value: Value) => SlashStep,
  onRefusal: (refusal: Refusal) => SlashStep = refused,
): SlashStep {
  const run = async (port: SlashPort) => {
    const answered = await ask(port)
    return answered.kind === "refused" ? onRefusal(answered.refusal) : next(answered.value)
  }
  return { kind: "step", run }
}

function refused(refusal: Refusal): SlashAnswer {
  return failed(describeRefusal(refusal))
}
