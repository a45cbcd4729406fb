// What waits for a person. The answer goes to this session, also for what its agents ask.
import { shortened } from "../approval-words.ts"
import { wrongUsage } from "./arguments.ts"
import { done, failed, send, type SlashCall, type SlashGroup, type SlashRequest, type SlashStep } from "./step.ts"

export const approvalCommands: SlashGroup = {
  title: "Approvals",
  commands: [
    { name: "approve", usage: "[id]", help: "says yes to the oldest request, or to this one", run: approve },
    { name: "deny", usage: "[id]", help: "says no to it", run: deny },
    { name: "approvals:list", usage: "", help: "lists what waits for an answer", run: list },
  ],
}

const inputLength = 200
const justAnsweredMs = 1000

function approve(call: SlashCall): SlashStep {
  return decide(call, true)
}

function deny(call: SlashCall): SlashStep {
  return decide(call, false)
}

function decide(call: SlashCall, approved: boolean): SlashStep {
  const [wanted, ...more] = call.args
  if (more.length > 0) return wrongUsage(call)
  const { requests } = call.view
  if (requests.length === 0) return failed("Nothing waits for an approval")
  if (wanted === undefined && isJustAnswered(call))
    return failed(
      `A request was answered a moment ago; say which one you mean: /${call.name} ${requests[0]?.approvalId}`,
    )
  const [request, ...others] = wanted === undefined ? requests.slice(0, 1) : requestsMeant(requests, wanted)
  if (request === undefined) return failed(`'${wanted}' is not asked; /approvals:list shows what is`)
  if (others.length > 0) return failed(`'${wanted}' fits more than one request`)
  const { approvalId, digest, tool } = request
  const answer = done(approved ? "approved" : "denied", `${approvalId}: ${tool}`)
  return send([{ type: "approve", approvalId, approved, ...(digest === undefined ? {} : { digest }) }], answer)
}

/** Whoever typed it may have meant the request before, which somebody else has answered meanwhile. */
function isJustAnswered({ view: { answeredAt }, options }: SlashCall): boolean {
  return answeredAt !== undefined && options.now() - answeredAt < justAnsweredMs
}

/** By its id or the beginning of it, with or without what all of them begin with. */
function requestsMeant(requests: readonly SlashRequest[], wanted: string): readonly SlashRequest[] {
  const beginning = wanted.startsWith("apr_") ? wanted : `apr_${wanted}`
  const exact = requests.filter(({ approvalId }) => approvalId === beginning)
  return exact.length > 0 ? exact : requests.filter(({ approvalId }) => approvalId.startsWith(beginning))
}

function list({ view: { requests, sessionId } }: SlashCall): SlashStep {
  const lines = requests.map((request) => line(request, request.sessionId === sessionId ? "" : request.sessionId))
  return done("approvals_listed", lines.length === 0 ? "Nothing waits for an approval" : lines.join("\n"))
}

function line({ approvalId, tool, input, reason }: SlashRequest, child: string): string {
  const who = child === "" ? "" : ` (agent ${child})`
  return `${approvalId}  ${tool} ${shortened(JSON.stringify(input), inputLength)}${who}: ${reason}`
}
