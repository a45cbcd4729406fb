// What waits for a person. The answer goes to this session, also for what its agents ask.
import type { CommandOf } from "../../contract/commands.ts"
import { lateAnswerMs, rememberedCall } from "../../contract/typed-answer.ts"
import { shortened } from "../../protocols/ipc/view/approval-text.ts"
import { wrongUsage } from "../arguments.ts"
import { done, failed, send, type SlashCall, type SlashGroup, type SlashRequest, type SlashStep } from "../command.ts"

export const approvalCommands: SlashGroup = {
  title: "Approvals",
  commands: [
    { name: "approve", usage: "[id]", help: "says yes to the oldest request, or to this one", run: approve },
    { name: "always", usage: "[id]", help: "says yes to it and, in this session, to the same call later", run: always },
    { name: "deny", usage: "[id]", help: "says no to it", run: deny },
    { name: "approvals:list", usage: "", help: "lists what waits for an answer", run: list },
  ],
}

const inputLength = 200

function approve(call: SlashCall): SlashStep {
  return decide(call, (request) => answered(request, true))
}

function deny(call: SlashCall): SlashStep {
  return decide(call, (request) => answered(request, false))
}

function always(call: SlashCall): SlashStep {
  return decide(call, (request) => {
    const remember = rememberedCall(request.tool, request.input)
    if (remember !== undefined) return answered(request, true, remember)
    return failed("The argument holds a '*', which would stand for any text: it can only be approved once")
  })
}

function decide(call: SlashCall, answer: (request: SlashRequest) => SlashStep): SlashStep {
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
  return answer(request)
}

function answered(request: SlashRequest, approved: boolean, remember?: CommandOf<"approve">["remember"]): SlashStep {
  const { approvalId, digest, tool } = request
  const result = done(approved ? "approved" : "denied", `${approvalId}: ${tool}`)
  const more = { ...(digest === undefined ? {} : { digest }), ...(remember === undefined ? {} : { remember }) }
  return send([{ type: "approve", approvalId, approved, ...more }], result)
}

/** Whoever typed it may have meant the request before, which somebody else has answered meanwhile. */
function isJustAnswered({ view: { answeredAt }, options }: SlashCall): boolean {
  return answeredAt !== undefined && options.now() - answeredAt < lateAnswerMs
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
