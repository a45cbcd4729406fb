// `turnhouse approve ID`: one answer to one request. What is answered is shown first, and the answer is bound to it: if
// the arguments are others by then, it does not count.
import { sentence } from "../../contract/refusal-sentence.ts"
import type { Grant } from "../../contract/values.ts"
import type { EventLog } from "../../log/event-log.ts"
import { describeRequest } from "../approvals/describe-request.ts"
import { grantSentence } from "../approvals/grants.ts"
import { openRequests, type OpenRequest } from "../approvals/open-requests.ts"
import { checkRemember, rememberOf, type Remember } from "../approvals/remember.ts"
import { settledApproval } from "../approvals/settled-approval.ts"
import { byBeginning } from "../by-beginning.ts"
import { refusalFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { localUser } from "../compose.ts"
import { canAsk, confirm } from "../confirm.ts"
import { exitCodes } from "../exit-codes.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { tellSession, withHouse, type CommandHouse } from "../tell-session.ts"
import { say } from "../terminal.ts"
import { writeJson } from "../write-json.ts"

export async function run(args: Args): Promise<number> {
  const [wanted, ...more] = args.positionals
  if (wanted === undefined || more.length > 0)
    throw usageFault("name one request for approval; 'turnhouse approvals' shows what waits")
  const wish = { scope: args.text("for"), pattern: args.text("pattern"), deny: args.flag("deny") }
  checkRemember(wish)
  return withHouse("approve", async (around) => {
    const found = await requestNamed(around.house.log, wanted)
    const remember = rememberOf(wish, found)
    say(describeRequest(found, Date.now(), process.stderr))
    if (remember !== undefined && !(await isWanted(remember, found))) {
      say("nothing was answered")
      return exitCodes.refused
    }
    const where = await answer(around, found, !wish.deny, args.text("note"), remember)
    const grant = remember === undefined ? undefined : await grantGiven(around, found)
    report(found, where, grant, args)
    return exitCodes.done
  })
}

async function requestNamed(log: EventLog, wanted: string): Promise<OpenRequest> {
  const { requests, unreadable } = await openRequests(log)
  const found = byBeginning(requests, "apr_", wanted, ({ request }) => request.approvalId)
  if (found.kind === "one") return found.item
  if (found.kind === "several") {
    const ids = found.items.map(({ request }) => request.approvalId)
    throw usageFault(`'${wanted}' fits more than one request: ${ids.join(", ")}`)
  }
  const settled = await settledApproval(log, wanted)
  if (settled !== undefined) throw refusalFault(settled)
  for (const refusal of unreadable) say(`turnhouse: ${sentence(refusal)}`)
  throw usageFault(`no request for approval has the id '${wanted}'; 'turnhouse approvals' shows what waits`)
}

/** Shown before it is given; somebody at a terminal may still say no. */
async function isWanted(remember: Remember, { request, session }: OpenRequest): Promise<boolean> {
  const { cwd } = session.status
  say(`  from now on  ${grantSentence({ tool: request.tool, ...remember }, cwd, session.row.sessionId)}`)
  return !canAsk() || confirm("Approve, and allow such calls from now on?")
}

function answer(
  around: CommandHouse,
  { request, session }: OpenRequest,
  approved: boolean,
  note: string | undefined,
  remember: Remember | undefined,
): Promise<"live" | "at rest"> {
  const { approvalId, digest } = request
  return tellSession(around, session.row, { type: "approve", approvalId, approved, digest, note, remember })
}

async function grantGiven({ house }: CommandHouse, { session }: OpenRequest): Promise<Grant | undefined> {
  const folds = await readFolds(house.log, session.row.sessionId)
  return folds.kind === "ok" ? folds.value.state.grants.at(-1) : undefined
}

function report(
  { request, session }: OpenRequest,
  where: "live" | "at rest",
  grant: Grant | undefined,
  args: Args,
): void {
  const { approvalId: id } = request
  const { sessionId } = session.row
  const outcome = args.flag("deny") ? "denied" : "approved"
  if (args.flag("json")) return writeJson({ id, sessionId, outcome, by: localUser(), grant })
  const kept = grant === undefined ? "" : `permission ${grant.grantId} stored\n`
  const next = where === "live" ? "" : `'turnhouse run --session ${sessionId}' goes on with the turn\n`
  process.stdout.write(`${id} ${outcome}\n${kept}${next}`)
}
