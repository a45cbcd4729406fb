// One sentence per refusal code for people: what is wrong, where, and what to do. A protocol that fixes the text for a
// code replaces that entry in its own table.
import { principalName } from "../rules/approval-answers.ts"
import type { Refusal } from "../refusals.ts"
import { describeHost } from "./describe-host.ts"

export type RefusalCode = Refusal["code"]
type RefusalOf<Code extends RefusalCode> = { [One in Code]: Extract<Refusal, { code: One }> & { code: One } }[Code]
/** A text for every refusal code; a missing one does not compile. */
export type RefusalTexts = { readonly [Code in RefusalCode]: (refusal: RefusalOf<Code>) => string }

export const refusalTexts: RefusalTexts = {
  "session.busy": () => "The session is busy with a turn. Wait until it ends, or interrupt it.",
  "session.unknown": ({ wanted }) => `No session has the id or name '${wanted}'. 'turnhouse ls' lists the sessions.`,
  "session.ambiguous": ({ wanted, candidates }) =>
    `'${wanted}' matches more than one session: ${candidates.join(", ")}. Give more of the id.`,
  "session.owned": ({ sessionId, owner, pid, node }) =>
    `Session ${sessionId} is open in another process (${describeHost(owner, pid, node)}).`,
  "session.elsewhere": ({ sessionId, place, node }) =>
    node !== undefined
      ? `Session ${sessionId} can run only on nodes with the name or label '${place}', and node '${node}' has neither. 'turnhouse nodes' lists them.`
      : `Session ${sessionId} can run only on nodes with the name or label '${place}', and none of them can be reached. Start one, or repair the bus: 'turnhouse nodes' lists the nodes.`,
  "session.damaged": ({ sessionId, seq, what }) =>
    `Session ${sessionId} is damaged at event ${seq}: ${what}. 'turnhouse verify' lists all damage; other sessions are not affected.`,
  "session.newer": ({ sessionId, seq, type, version, known }) =>
    `Session ${sessionId}, event ${seq} (${type}, version ${version}) was written by a newer Turnhouse; this one reads up to version ${known}. Upgrade to open it.`,
  "session.exists": ({ sessionId }) => `Session ${sessionId} already exists.`,
  "prompt.conflict": ({ promptId }) => `Prompt ${promptId} was already sent with another text. Use a new id.`,
  "prompt.empty": () => "The prompt is empty.",
  "prompt.too-large": ({ bytes, limit }) =>
    `The prompt has ${bytes} bytes; the limit is ${limit}. Put long text into a file and name the file.`,
  "prompt.repeated": ({ promptId }) => `The same prompt was already sent as ${promptId}.`,
  "prompt.unknown": ({ promptId }) => `No queued prompt has the id ${promptId}.`,
  "queue.full": ({ limit }) => `The queue is full: ${limit} prompts are waiting. Try again when a turn has ended.`,
  "approval.unknown": ({ approvalId }) => `No approval has the id ${approvalId}.`,
  "approval.settled": ({ approvalId, outcome, by }) =>
    `${approvalId} is already settled: ${outcome}${by ? ` by ${principalName(by.principal)}` : ""}.`,
  "approval.changed": ({ approvalId }) =>
    `${approvalId} is for other arguments than those that were shown. Read the request again.`,
  "interaction.unknown": () => "No pending request has this id.",
  "interaction.invalid": ({ errors }) => errors.map(({ field, message }) => `${field}: ${message}`).join("; "),
  "answer.invalid": ({ message }) => `${message}.`,
  "approval.own": () => "A visitor cannot approve what their own session requests.",
  "approval.person": ({ approvalId }) =>
    `${approvalId} must be answered by a person; a command-line flag does not answer it.`,
  "verification.failed": ({ why, attemptsLeft }) => {
    if (why === "wrong-code") return `The code is wrong; ${attemptsLeft} attempts are left.`
    const what = why === "expired" ? "The code has expired" : "Too many wrong codes were entered"
    return `${what}. Repeat the request to get a new code.`
  },
  "verification.none": () => "No code is expected in this conversation.",
  "escalation.none": () => "This session has no open escalation.",
  "role.missing": ({ role }) => `This needs the role '${role}', which the key or token does not have.`,
  "key.bad": () => "The key is missing, unknown, expired or revoked. 'turnhouse link' creates a new one.",
  "key.narrow": ({ what }) => `The key or token does not permit this: ${what}.`,
  "grant.unknown": ({ grantId }) => `No permission with the id ${grantId} was granted in this session.`,
  "plan.already": () => "The session is already in plan mode.",
  "plan.not-in": () => "The session is not in plan mode.",
  "plan.not-here": () => "Sessions of the WebSocket API have no plan mode.",
  "context.nothing-there": ({ toSeq }) => `The conversation cannot be rewound to event ${toSeq}.`,
  "context.no-turns": ({ turns }) =>
    turns <= 1 ? "There is no turn that can be undone." : `Fewer than ${turns} turns can be undone.`,
  "task.unknown": ({ task }) => `No task has the number ${task}.`,
  "task.circular": ({ task, dependsOn }) =>
    `Task ${task} cannot depend on task ${dependsOn}, because that one depends on it.`,
  "tasks.too-many": ({ limit }) => `The session already has ${limit} tasks, which is the limit.`,
  "marks.too-many": ({ limit }) => `The session already has ${limit} checkpoints, which is the limit.`,
  "command.unknown": ({ name }) => `Unknown command: /${name}`,
  "command.failed": ({ name, what }) => `/${name} failed: ${what}`,
  "turn.not-parked": () => "No turn is parked in this session.",
  "child.too-deep": ({ limit }) => `Maximum agent depth (${limit}) reached.`,
  "child.too-many": ({ limit }) => `This agent already has ${limit} running children, which is the limit.`,
  "child.exists": ({ childId }) => `Child ${childId} already exists.`,
  "locks.unavailable": ({ what }) => `The locks of this home cannot be used: ${what}.`,
  "report.stale": () => "This result belongs to work that has ended.",
  "frame.bad": ({ what }) => `The message cannot be processed: ${what}.`,
  "agents.too-many": ({ limit }) => `${limit} agents are already running, which is the limit.`,
  "config.bad": ({ what }) => what,
  "folder.missing": ({ path }) => `${path} is not a folder.`,
  "host.leaving": () => "This host is handing over its sessions and accepts no more.",
  "host.unreachable": ({ what }) => `No host can be reached: ${what}`,
  "node.unknown": ({ wanted, nodes }) =>
    nodes.length === 0
      ? "This home is not part of a cluster: its sessions cannot be moved to another node."
      : `No node with the name '${wanted}' runs a server or background host. Choose one of: ${nodes.join(", ")}.`,
  "host.exists": ({ role, pid }) => `A host with the role '${role}' is already running (pid ${pid}).`,
  "host.gone": () => "The process that has the session open has exited or closed the connection.",
  "log.fenced": ({ sessionId }) =>
    `Session ${sessionId} was taken over by another host; this one must not write to it.`,
  "log.conflict": ({ sessionId, expectedSeq, seq }) => `Session ${sessionId} is at event ${seq}, not ${expectedSeq}.`,
  // A reason that is a whole sentence says what to do itself.
  "log.unavailable": ({ what }) =>
    what.endsWith(".")
      ? `The log cannot be opened: ${what}`
      : `The log cannot be written: ${what}. Fix the cause and retry.`,
}

export function describeRefusal<Code extends RefusalCode>(
  refusal: RefusalOf<Code>,
  texts: RefusalTexts = refusalTexts,
): string {
  return texts[refusal.code](refusal)
}
