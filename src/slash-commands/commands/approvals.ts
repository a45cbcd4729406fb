// Pending approvals. The answer goes to this session, also for a request of one of its agents.
import type { CommandOf } from "../../contract/commands.ts"
import { askedText } from "../../contract/rules/call-requests.ts"
import { shortened } from "../../contract/text/text.ts"
import { lateAnswerMs, rememberedCall } from "../../contract/rules/approval-answers.ts"
import type { SlashCall, SlashCommand, SlashGroup, SlashRequest, SlashStep } from "../command.ts"
import { usageError } from "../arguments.ts"
import { done, failed, list, send } from "../steps.ts"

export const approvalCommands: SlashGroup = {
  title: "Approvals",
  commands: [
    answerCommand("approve", "approve this request, or the oldest", (request) => answer(request, true)),
    answerCommand("always", "approve it, and the same call for the rest of this session", approveAlways),
    answerCommand("deny", "deny it", (request) => answer(request, false)),
    {
      name: "answer",
      usage: "[id] <text>",
      help: "answer the oldest question of the agent, or this one",
      run: answerQuestion,
    },
    { name: "approvals:list", help: "list pending approvals", run: listApprovals },
  ],
}

const NONE = "No pending approvals"
const MAX_SHOWN_INPUT = 200

function answerCommand(name: string, help: string, next: (request: SlashRequest) => SlashStep): SlashCommand {
  return { name, usage: "[id]", help, maxArgs: 1, run: (call) => withRequest(call, next) }
}

function approveAlways(request: SlashRequest): SlashStep {
  if (request.server !== undefined)
    return failed("A request of an MCP server is allowed once: approve it with /approve.")
  const remember = rememberedCall(request.tool, request.input)
  if (remember !== undefined) return answer(request, true, remember)
  return failed("The argument contains '*', which would match any text. Approve it once with /approve.")
}

function withRequest(call: SlashCall, next: (request: SlashRequest) => SlashStep): SlashStep {
  const [idOrPrefix] = call.args
  const { requests } = call.view
  const [oldest] = requests
  if (oldest === undefined) return failed(NONE)
  if (idOrPrefix === undefined) {
    const isLate = isJustAnswered(call)
    return isLate
      ? failed(`Another request was just answered. Name the one you mean: /${call.name} ${oldest.approvalId}`)
      : next(oldest)
  }
  const [request, ...others] = findRequests(requests, idOrPrefix)
  if (request === undefined) return failed(`No pending approval matches '${idOrPrefix}'; /approvals:list shows them`)
  return others.length > 0 ? failed(`'${idOrPrefix}' matches more than one request`) : next(request)
}

/** The user may have meant the request before, which another client has just answered. */
function isJustAnswered({ view: { answeredAt }, options }: SlashCall): boolean {
  return answeredAt !== undefined && options.now() - answeredAt < lateAnswerMs
}

function answer(request: SlashRequest, approved: boolean, remember?: CommandOf<"approve">["remember"]): SlashStep {
  const { approvalId, digest, tool } = request
  const result = done(approved ? "approved" : "denied", `${approvalId}: ${tool}`)
  return send({ type: "approve", approvalId, approved, digest, remember }, result)
}

/** The text is what follows the command; only a first word with the prefix of ids is one. */
function answerQuestion(call: SlashCall): SlashStep {
  const [first = "", ...rest] = call.args
  const hasId = first.startsWith("apr_") && rest.length > 0
  const text = (hasId ? rest : call.args).join(" ").trim()
  if (text === "") return usageError(call)
  const open = call.view.requests.filter(({ questions }) => questions !== undefined)
  if (open.length === 0) return failed("No question is pending")
  const [request, ...others] = hasId ? findRequests(open, first) : open.slice(0, 1)
  if (request === undefined) return failed(`No pending question matches '${first}'; /approvals:list shows them`)
  if (others.length > 0) return failed(`'${first}' matches more than one request`)
  const { approvalId, digest } = request
  return send(
    { type: "approve", approvalId, approved: true, digest, answer: text },
    done("answered", `${approvalId}: ${text}`),
  )
}

/** By id or the beginning of it, with or without the prefix. */
function findRequests(requests: readonly SlashRequest[], idOrPrefix: string): readonly SlashRequest[] {
  const prefix = idOrPrefix.startsWith("apr_") ? idOrPrefix : `apr_${idOrPrefix}`
  const exact = requests.filter(({ approvalId }) => approvalId === prefix)
  return exact.length > 0 ? exact : requests.filter(({ approvalId }) => approvalId.startsWith(prefix))
}

function listApprovals({ view: { requests, sessionId } }: SlashCall): SlashStep {
  const lines = requests.map(({ approvalId, tool, input, reason, questions, server, sessionId: requesterId }) => {
    if (questions !== undefined) return `${approvalId}  question: ${askedText({ questions, reason, server })}`
    const agent = requesterId === sessionId ? "" : ` (agent ${requesterId})`
    return `${approvalId}  ${tool} ${shortened(JSON.stringify(input), MAX_SHOWN_INPUT)}${agent}: ${reason}`
  })
  return list("approvals_listed", lines, NONE)
}
