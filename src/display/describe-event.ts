// Describes an event in one line of the log.
import { serverName } from "../contract/rules/call-requests.ts"
import { principalName } from "../contract/rules/approval-answers.ts"
import type { EventOf, SessionEvent } from "../contract/events.ts"
import type { By, Citation } from "../contract/values.ts"
import { shellEndText, shellName } from "../features/shells/shell-text.ts"
import { oneLine, printable } from "../contract/text/text.ts"

const width = 160

export function describeEvent(event: SessionEvent): string {
  switch (event.type) {
    case "session.created":
      return `${event.origin}, ${event.preset}, ${event.model}, in ${event.cwd}`
    case "session.aliased":
      return `${event.alias} ${byText(event.by)}`
    case "session.renamed":
      return event.name
    case "session.reopened":
    case "session.ending":
    case "session.orphaned":
    case "session.hibernated":
    case "session.woken":
    case "session.kept":
    case "context.cleared":
      return byText(event.by)
    case "session.ended":
      return `${event.reason}${event.by === undefined ? "" : `, ${byText(event.by)}`}`
    case "visit.opened":
      return `${event.visitId} for ${event.agentId} by ${event.principal}`
    case "prompt.admitted":
      return `${event.promptId} ${byText(event.by)}${fromOutside(event)}: ${oneLine(event.text, width)}`
    case "prompt.promoted":
      return `${event.promptId} in ${event.turnId}`
    case "prompt.withdrawn":
      return `${event.promptId}: ${event.reason}`
    case "turn.started":
      return `${event.turnId}${event.planId === undefined ? "" : `, plan ${event.planId}`}`
    case "turn.parked":
      return `${event.why}: ${event.message}`
    case "turn.resumed":
      return event.turnId
    case "turn.adopted":
      return `${event.turnId} by ${event.host}, attempt ${event.attempt} without progress`
    case "turn.ended":
      return `${event.reason}${event.finish === undefined ? "" : `, ${event.finish}`}${event.error === undefined ? "" : `: ${event.error}`}`
    case "step.started":
      return `${event.stepId}, ${event.model}${event.continues === undefined ? "" : `, continues ${event.continues}`}`
    case "step.ended":
      return event.stepId
    case "text.ended":
    case "reasoning.ended":
      return `${event.interrupted === true ? "(cut off) " : ""}${wholeText(event.text)}`
    case "response.ended":
      return `${event.finish}, ${spentText(event)}${voteText(event)}`
    case "tool.called":
      return `${event.callId} ${event.tool} ${oneLine(JSON.stringify(event.input), width)}`
    case "tool.modified":
      return `${event.callId} by ${event.by}: ${oneLine(JSON.stringify(event.input), width)}`
    case "tool.refused":
      return `${event.callId} by ${event.by}: ${event.reason}`
    case "tool.started":
      return `${event.callId} ${event.class}${event.process === undefined ? "" : `, pid ${event.process.pid}`}`
    case "tool.ended":
      return `${event.callId} ${event.outcome}${cited(event)}: ${oneLine(event.output, width)}`
    case "tool.unsettled":
      return `${event.callId}: ${event.evidence}`
    case "shell.started":
      return `${shellName(event.shellId, event.command)} for ${event.callId}, pid ${event.process.pid}`
    case "shell.ending":
      return `${event.shellId} ${byText(event.by)}`
    case "shell.ended":
      return `${shellName(event.shellId, event.command)} ${shellEndText(event)}`
    case "approval.requested":
      return `${event.approvalId} for ${event.callId} ${event.tool}: ${event.reason}`
    case "approval.decided":
      return `${event.approvalId} ${event.outcome}${event.by === undefined ? "" : ` ${byText(event.by)}`}`
    case "sampling.ended":
      return `for ${event.callId}, ${serverName({ name: event.server })}: ${event.model}, ${spentText(event)}`
    case "approval.bound":
      return `${event.approvalId} to the changed arguments of ${event.callId}`
    case "interaction.requested":
      return `${event.interactionId} for ${event.callId} ${event.kind}: ${event.reason}`
    case "interaction.answered":
      return `${event.interactionId} ${event.outcome}${event.by === undefined ? "" : ` ${byText(event.by)}`}`
    case "visit.verified":
      return `${event.visitId} by ${event.verificationId}`
    case "verification.requested":
      return `${event.verificationId} for ${event.callId} ${event.tool}`
    case "verification.prepared":
      return `${event.verificationId} by ${event.channel} to ${event.destination}, ${event.attemptsLeft} attempts`
    case "verification.sent":
      return `${event.verificationId} by ${event.channel} to ${event.destination}`
    case "verification.failed":
      return `${event.verificationId} ${event.why}, ${event.attemptsLeft} attempts left`
    case "escalation.raised":
      return `${event.callId}: ${event.reason}`
    case "escalation.settled":
      return byText(event.by)
    case "workflow.judged":
      return `${event.step}: ${event.verdict}${event.next === undefined ? "" : `, next ${event.next}`}`
    case "context.retrieved":
      return `${event.passages.length} passages: ${event.passages.map(foundAt).join(", ")}`
    case "voting.selected":
      return event.voting === undefined
        ? "off"
        : `ahead by ${event.voting.ahead}, at most ${event.voting.samples} answers`
    case "policy.granted":
      return `${event.grantId} ${event.tool} ${event.pattern}, for this ${event.scope}, ${byText(event.by)}`
    case "policy.revoked":
      return `${event.grantId} ${byText(event.by)}`
    case "compaction.started":
      return event.why
    case "compaction.failed":
      return event.error
    case "context.compacted":
      return `up to event ${event.upToSeq}: ${oneLine(event.summary, width)}`
    case "context.rewound":
      return `to event ${event.toSeq}`
    case "undo.started":
      return `${event.turnIds.length} of the newest turns ${byText(event.by)}`
    case "undo.ended":
      return event.report.refused ?? `${event.report.reverted} files reverted, ${event.report.conflicts} conflicts`
    case "context.marked":
      return `${event.name}, event ${event.toSeq}`
    case "model.selected":
      return `${event.model} ${byText(event.by)}`
    case "model.replaced":
      return `${event.from} by ${event.model}: ${oneLine(event.reason, width)}`
    case "thinking.selected":
      return `${event.level ?? "default"} ${byText(event.by)}`
    case "tools.selected":
      return typeof event.mode === "string" ? event.mode : event.mode.Explicit.join(", ")
    case "plan.entered":
      return `${event.planId}${event.focus === undefined ? "" : `: ${event.focus}`}`
    case "plan.exited":
      return `${event.planId}${event.summary === undefined ? "" : `: ${oneLine(event.summary, width)}`}`
    case "budget.raised":
      return `${event.budget.usd ?? "any"} USD, ${event.budget.tokens ?? "any"} tokens`
    case "task.added":
      return `${event.task}: ${oneLine(event.text, width)}`
    case "tasks.written":
      return oneLine(event.tasks.map(({ text, status }) => `[${status}] ${text}`).join(", ") || "no tasks", width)
    case "task.changed":
      return `${event.task} ${[event.status, event.reason, event.dependsOn === undefined ? undefined : `after ${event.dependsOn}`].filter((part) => part !== undefined).join(", ")}`
    case "child.spawned":
      return `${event.childId}: ${event.task === undefined ? event.reason : oneLine(event.task, width)}`
    case "child.reported":
      return `${event.childId}: ${event.status}`
    case "child.asked":
      return `${event.approvalId} of ${event.sessionId} ${event.tool} ${oneLine(JSON.stringify(event.input), width)}: ${event.reason}`
    case "child.answered":
      return `${event.approvalId} ${event.outcome}${event.by === undefined ? "" : ` ${byText(event.by)}`}`
    case "child.detached":
      return event.childId
    case "child.ended":
      return `${event.childId} ${event.outcome}: ${oneLine(event.result, width)}`
    case "children.signalled":
      return event.action
  }
}

function foundAt({ id, score, snippet }: Citation): string {
  return `${oneLine(id, 60)} (${score.toFixed(2)}) "${oneLine(snippet, 80)}"`
}

/** Texts are shown in full: users search for them. */
function wholeText(text: string): string {
  return printable(text).replaceAll("\n", "⏎")
}

function byText({ principal, door }: By): string {
  return `by ${principalName(principal)} (${door})`
}

function cited({ citations = [] }: EventOf<"tool.ended">): string {
  return citations.length === 0 ? "" : `, cites ${citations.map(({ id }) => oneLine(id, 60)).join(", ")}`
}

function spentText({ usage, costUsd }: Pick<EventOf<"response.ended">, "usage" | "costUsd">): string {
  return `${usage?.input ?? "?"} tokens in, ${usage?.output ?? "?"} out, ${cost(costUsd)}`
}

function cost(usd: number | undefined): string {
  return usd === undefined ? "price unknown" : `$${usd.toFixed(4)}`
}

function fromOutside({ untrustedSource }: EventOf<"prompt.admitted">): string {
  return untrustedSource === undefined ? "" : `, untrusted, from ${oneLine(untrustedSource, 40)}`
}

function voteText({ votes }: EventOf<"response.ended">): string {
  if (votes === undefined) return ""
  const { counted, discarded, lead, ahead, undecided } = votes
  const outcome =
    undecided === undefined
      ? `decided by a lead of ${lead}`
      : `undecided ${undecided.best}-${undecided.next}, ${ahead} needed`
  return `, vote of ${counted + discarded} answers: ${outcome}`
}
