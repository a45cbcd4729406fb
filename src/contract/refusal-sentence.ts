// What a person reads when the answer is no: what is wrong, where, and what to do.
import { principalName } from "./approval-policy.ts"
import type { Refusal } from "./refusals.ts"

export function sentence(refusal: Refusal): string {
  switch (refusal.code) {
    case "session.busy":
      return "The session is busy with a turn; wait for its end or interrupt it."
    case "session.unknown":
      return `No session is named or numbered '${refusal.wanted}'. 'turnhouse ls' shows what there is.`
    case "session.ambiguous":
      return `'${refusal.wanted}' fits more than one session: ${refusal.candidates.join(", ")}.`
    case "session.owned":
      return `Session ${refusal.sessionId} is open in another process (${refusal.owner}, pid ${refusal.pid}).`
    case "session.damaged":
      return `Session ${refusal.sessionId} is damaged at event ${refusal.seq}: ${refusal.what}. 'turnhouse verify' lists all damage; other sessions are not affected.`
    case "session.newer":
      return `Session ${refusal.sessionId}, event ${refusal.seq} (${refusal.type}, version ${refusal.version}) was written by a newer Turnhouse; this one reads up to version ${refusal.known}. Upgrade to open it.`
    case "session.exists":
      return `Session ${refusal.sessionId} exists already.`
    case "prompt.conflict":
      return `Prompt ${refusal.promptId} was sent before with another text; use a new id.`
    case "prompt.empty":
      return "The prompt is empty."
    case "prompt.too-large":
      return `The prompt has ${refusal.bytes} bytes; ${refusal.limit} are allowed. Put long text into a file and name the file.`
    case "prompt.repeated":
      return `The same prompt has come before, as ${refusal.promptId}.`
    case "prompt.unknown":
      return `No waiting prompt has the id ${refusal.promptId}.`
    case "queue.full":
      return `${refusal.limit} prompts are waiting already.`
    case "approval.unknown":
      return `No approval has the id ${refusal.approvalId}.`
    case "approval.settled":
      return `${refusal.approvalId} is settled already: ${refusal.outcome}${refusal.by ? ` by ${principalName(refusal.by.principal)}` : ""}.`
    case "approval.changed":
      return `${refusal.approvalId} is for other arguments than those that were shown; look again.`
    case "interaction.unknown":
      return "Nothing is asked for under this id any more."
    case "interaction.invalid":
      return refusal.errors.map(({ field, message }) => `${field}: ${message}`).join("; ")
    case "approval.own":
      return "Whoever visits a session cannot approve what it asks the house for."
    case "approval.person":
      return `${refusal.approvalId} needs a person; a flag of a command line does not answer it.`
    case "verification.failed":
      return codeProblem(refusal.why, refusal.attemptsLeft)
    case "verification.none":
      return "No code is expected in this conversation."
    case "escalation.none":
      return "The agent of this session has not asked for a person."
    case "role.missing":
      return `This needs the role '${refusal.role}', which the key or token does not give.`
    case "key.bad":
      return "The key is missing, unknown, expired or revoked. 'turnhouse link' makes a new one."
    case "key.narrow":
      return `The key or token is not for this: ${refusal.what}.`
    case "grant.unknown":
      return `No permission with the id ${refusal.grantId} was given in this session.`
    case "plan.already":
      return "The session is in plan mode already."
    case "plan.not-in":
      return "The session is not in plan mode."
    case "plan.not-here":
      return "Sessions of the network door have no plan mode."
    case "context.nothing-there":
      return `Event ${refusal.toSeq} is not a place to go back to.`
    case "context.no-turns":
      return `There are not as many turns (${refusal.turns}) that could be taken back.`
    case "task.unknown":
      return `There is no task ${refusal.task}.`
    case "task.circular":
      return `Task ${refusal.task} cannot wait for task ${refusal.dependsOn}: that one waits for it.`
    case "tasks.too-many":
      return `A session keeps ${refusal.limit} tasks, and there are as many already.`
    case "marks.too-many":
      return `A session keeps ${refusal.limit} named places, and there are as many already.`
    case "command.unknown":
      return `Unknown command: /${refusal.name}`
    case "command.failed":
      return `/${refusal.name} failed: ${refusal.what}`
    case "turn.not-parked":
      return "No turn is parked in this session."
    case "child.too-deep":
      return `Maximum agent depth (${refusal.limit}) reached.`
    case "child.too-many":
      return `This agent has ${refusal.limit} live children already.`
    case "child.exists":
      return `Child ${refusal.childId} exists already.`
    case "locks.unavailable":
      return `The locks of this home cannot be used: ${refusal.what}.`
    case "report.stale":
      return "This result belongs to work that has ended."
    case "frame.bad":
      return `The other side cannot read what was sent: ${refusal.what}.`
    case "agents.too-many":
      return `${refusal.limit} agents are at work already.`
    case "config.bad":
      return refusal.what
    case "folder.missing":
      return `${refusal.path} is not a folder.`
    case "host.leaving":
      return "This host is handing its sessions over and takes no more."
    case "host.unreachable":
      return `No host can be reached: ${refusal.what}`
    case "host.exists":
      return `A host of this kind runs already (${refusal.role}, pid ${refusal.pid}).`
    case "host.gone":
      return "The process that has the session open is gone or closed the connection."
    case "log.fenced":
      return `Session ${refusal.sessionId} was taken over by another host; this one must not write to it.`
    case "log.conflict":
      return `Session ${refusal.sessionId} is at event ${refusal.seq}, not ${refusal.expectedSeq}.`
    case "log.unavailable":
      return `The log cannot be written: ${refusal.what}. Fix the cause and retry.`
  }
}

function codeProblem(why: "wrong-code" | "too-many-attempts" | "expired", attemptsLeft: number): string {
  if (why === "wrong-code") return `That is not the code that was sent; ${attemptsLeft} more tries are left.`
  const what = why === "expired" ? "The code has expired" : "Too many wrong codes were entered"
  return `${what}. Ask again for what you wanted, and another one is sent.`
}
