// `turnhouse approve ID`: answers one request. It is shown first, and the answer is bound to its arguments: if they have
// changed, it is refused. The background host opens a session that no process has open, so that its turn continues.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { withHomeConnection } from "../../../app/host/send-command.ts"
import { localUser } from "../../../app/local-user.ts"
import { newestGrant, type PendingRequest } from "../../../app/sessions/approvals.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Grant } from "../../../contract/values.ts"
import { answerSummary, readAnswers } from "../../../contract/rules/questions.ts"
import { printable } from "../../../contract/text/text.ts"
import { noStatus, readStatus } from "../../../projection/status.ts"
import { describeRequest, grantSentence } from "../../approvals/describe.ts"
import { requestNamed, sendAnswer } from "../../approvals/pending.ts"
import { checkRemember, rememberOf, type Remember, type RememberOptions } from "../../approvals/remember.ts"
import type { Args } from "../../command.ts"
import { canAsk, confirm } from "../../confirm.ts"
import { writeJson } from "../../output.ts"

const door = "approve"

export async function run(args: Args): Promise<number> {
  const idOrPrefix = args.first("name one request; 'turnhouse approvals' lists them")
  const options = { scope: args.text("for"), pattern: args.text("pattern"), deny: args.flag("deny") }
  checkRemember(options)
  return withHomeConnection(door, async (home) => {
    const { log } = home
    const found = await requestNamed(log, idOrPrefix)
    const answer = args.text("answer")
    const answered = answerOf(found, answer, options)
    const remember = rememberOf(options, found)
    printNotice(describeRequest(found, Date.now(), process.stderr))
    if (remember !== undefined && !(await confirmPermission(remember, found))) {
      printNotice("not answered")
      return exitCodes.refused
    }
    await sendAnswer(home, found, door, { approved: !options.deny, note: args.text("note"), remember, answer })
    const grant = remember === undefined ? undefined : await newestGrant(log, found.row.sessionId)
    report(found, { grant, answered }, args)
    return exitCodes.done
  })
}

/** The answer to a question in one line; nothing for an approval. */
function answerOf(
  { request: { approvalId, questions } }: PendingRequest,
  answer: string | undefined,
  { deny, scope }: RememberOptions,
): string | undefined {
  if (questions === undefined && answer !== undefined)
    throw usageFault(`${approvalId} needs an approval, not an answer. Leave out --answer.`)
  if (questions === undefined || (deny && answer === undefined)) return undefined
  if (deny || scope !== undefined) throw usageFault("--answer cannot be combined with --deny or --for")
  if (answer === undefined)
    throw usageFault(`${approvalId} is a question. Answer it with 'turnhouse approve ${approvalId} --answer TEXT'.`)
  const read = readAnswers(questions, answer)
  if (read.kind === "wrong") throw usageFault(`--answer: ${read.message}.`)
  return answerSummary(read.answers)
}

/** Shown first; at a terminal the user confirms it. */
async function confirmPermission(remember: Remember, { request, row }: PendingRequest): Promise<boolean> {
  const { cwd } = readStatus(row.summary) ?? noStatus
  printNotice(`  from now on  ${grantSentence({ tool: request.tool, ...remember }, cwd, row.sessionId)}`)
  return !canAsk() || confirm("Approve, and allow such calls from now on?")
}

function report(
  { request, row }: PendingRequest,
  { grant, answered }: { readonly grant: Grant | undefined; readonly answered: string | undefined },
  args: Args,
): void {
  const { approvalId: id, questions } = request
  const { sessionId } = row
  const refusal = questions === undefined ? "denied" : "declined"
  const outcome = args.flag("deny") ? refusal : answered === undefined ? "approved" : "answered"
  if (args.flag("json")) return writeJson({ id, sessionId, outcome, by: localUser(), grant, answer: answered })
  const storedLine = grant === undefined ? "" : `permission ${grant.grantId} stored\n`
  const answerText = answered === undefined ? "" : `: ${printable(answered)}`
  process.stdout.write(`${id} ${outcome}${answerText}\n${storedLine}`)
}
