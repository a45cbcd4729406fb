// What an MCP server may ask for while a call runs: answers of a person, and answers of the session's model. Each request
// needs its own decision. The text of servers is not trusted: it is bounded and named with the server.
import { requestSubject, serverName } from "../../../contract/rules/call-requests.ts"
import { shownQuestion } from "../../../contract/rules/questions.ts"
import { holdsPlaceholder } from "../../../contract/text/placeholder.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Question, ServerAsk, ServerPrompt } from "../../../contract/values.ts"
import { faultSentence } from "../../../models/fault-sentence.ts"
import { askBriefly, ModelTimeout, type BriefAnswer } from "../../../runner/model/brief-call.ts"
import { sessionModel } from "../../../runner/model/session-model.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import { callDigest } from "../../../session/digest.ts"
import { findCall, type CallState } from "../../../session/state.ts"
import type {
  Elicitation,
  ElicitationAnswer,
  SamplingAnswer,
  SamplingRequest,
  ToolContext,
} from "../../../tools/tool.ts"
import { decisionDuringCall, isDeclined, noReason, type CallAsk } from "./call-decision.ts"

/** Requests of all servers of one call; more are refused. */
export const MAX_REQUESTS = 10
/** Questions of one request. */
export const MAX_QUESTIONS = 20
const MAX_MESSAGE_LENGTH = 1000
/** Characters of a prompt for the model: a person has to read them. */
export const MAX_PROMPT_LENGTH = 16_000
const MAX_MESSAGES = 50
/** Tokens of the answer; a server that wants more gets this many. */
const MAX_ANSWER_TOKENS = 4096
const ANSWER_MS = 120_000

const CALL_ENDED = "its call has ended"
const WITHDRAWN = "the request was withdrawn before it was answered"

/** One request of a call is open at a time: people answer one after another, and clients that join later see it. */
export function serverRequestsOf(
  session: SessionContext,
  call: Pick<CallState, "id">,
  callSignal: AbortSignal,
): Required<Pick<ToolContext, "elicit" | "sample">> {
  let count = 0
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Answer>(
    signal: AbortSignal,
    ask: (asking: Asking) => Promise<Answer>,
    refuse: (reason: string) => Answer,
  ): Promise<Answer> => {
    count += 1
    if (count > MAX_REQUESTS) return Promise.resolve(refuse(`a call may make ${MAX_REQUESTS} requests of this kind`))
    const asking = { session, call, number: count, signal: AbortSignal.any([signal, callSignal]) }
    const answer = last.then(() => {
      if (callSignal.aborted) return refuse(CALL_ENDED)
      return signal.aborted ? refuse(WITHDRAWN) : ask(asking)
    })
    last = answer.catch(() => {}) // the caller gets the fault; the next request does not
    return answer
  }
  return {
    elicit: (request, signal) => inTurn(signal, (asking) => elicit(asking, request), cancelled),
    sample: (request, signal) => inTurn(signal, (asking) => sample(asking, request), refused),
  }
}

interface Asking {
  readonly session: SessionContext
  readonly call: Pick<CallState, "id">
  /** Which request of the call it is: two that are alike have two decisions. */
  readonly number: number
  readonly signal: AbortSignal
}

async function elicit(asking: Asking, { server: name, message, questions }: Elicitation): Promise<ElicitationAnswer> {
  const { session, signal } = asking
  if (questions.length === 0 || questions.length > MAX_QUESTIONS)
    return cancelled(`a request has 1 to ${MAX_QUESTIONS} questions`)
  const said = oneLine(message, MAX_MESSAGE_LENGTH)
  const server: ServerAsk = { name, wants: "answers" }
  const reason = `${serverName(server)} asks: ${said} (Your answer goes to the server.)`
  const decided = await decisionDuringCall(session, callAsk(asking, { server, reason, questions }), signal)
  if (decided === undefined) return cancelled(CALL_ENDED)
  if (decided.outcome === "approved") return answered(decided.answers ?? [])
  const why = noReason(session, decided, WITHDRAWN)
  return isDeclined(decided) ? { kind: "declined", reason: why } : cancelled(why)
}

/** The answer is read from the log, which has no secrets. */
function answered(answers: Extract<ElicitationAnswer, { kind: "answered" }>["answers"]): ElicitationAnswer {
  if (answers.some(({ text }) => text !== undefined && holdsPlaceholder(text)))
    return cancelled("the answer holds a secret, which is not given to MCP servers")
  return { kind: "answered", answers }
}

function cancelled(reason: string): ElicitationAnswer {
  return { kind: "cancelled", reason }
}

async function sample(asking: Asking, request: SamplingRequest): Promise<SamplingAnswer> {
  const { session, call, signal } = asking
  const prompt = promptOf(session, request)
  const problem = promptProblem(prompt)
  if (problem !== undefined) return refused(problem)
  const server: ServerAsk = { name: request.server, wants: "model", prompt }
  const reason = `${serverName(server)} wants an answer of this session's model to its own text. The answer goes to the server.`
  const decided = await decisionDuringCall(session, callAsk(asking, { server, reason }), signal)
  if (decided === undefined) return refused(CALL_ENDED)
  if (decided.outcome !== "approved") return refused(noReason(session, decided, WITHDRAWN))
  if (findCall(session.state, call.id)?.phase !== "started") return refused(CALL_ENDED)
  return answerOfModel(asking, request.server, prompt)
}

/** Scrubbed: what is shown, stored and sent is the same text. */
function promptOf({ services: { scrubber } }: SessionContext, { system, messages, maxTokens }: SamplingRequest) {
  return {
    ...(system === undefined ? {} : { system: scrubber.text(system) }),
    messages: messages.map(({ role, text }) => ({ role, text: scrubber.text(text) })),
    maxTokens: Math.max(1, Math.min(maxTokens, MAX_ANSWER_TOKENS)),
  }
}

function promptProblem({ system = "", messages }: ServerPrompt): string | undefined {
  if (messages.length === 0 || messages.length > MAX_MESSAGES) return `a prompt has 1 to ${MAX_MESSAGES} messages`
  const length = messages.reduce((sum, { text }) => sum + text.length, system.length)
  return length > MAX_PROMPT_LENGTH
    ? `a prompt may have ${MAX_PROMPT_LENGTH} characters, and it has ${length}`
    : undefined
}

async function answerOfModel(asking: Asking, server: string, prompt: ServerPrompt): Promise<SamplingAnswer> {
  const { session, call } = asking
  const { model, answer, reason } = await callModel(asking, prompt)
  if (model !== undefined) {
    const { usage, costUsd } = answer ?? {}
    await session.report({ type: "sampled", callId: call.id, server, model, usage, costUsd })
  }
  if (answer === undefined || model === undefined) return refused(reason ?? WITHDRAWN)
  return { kind: "answered", text: answer.text, model }
}

interface ModelCall {
  /** The model that has to be paid; absent where the call failed. */
  readonly model?: string
  readonly answer?: BriefAnswer
  readonly reason?: string
}

async function callModel({ session, signal }: Asking, prompt: ServerPrompt): Promise<ModelCall> {
  let model: string | undefined
  try {
    const choice = await sessionModel(session, signal)
    signal.throwIfAborted()
    model = choice.name
    const answer = await askBriefly(session, choice, { ...prompt, timeoutMs: ANSWER_MS }, signal)
    return { model, answer }
  } catch (fault) {
    const isCut = signal.aborted || fault instanceof ModelTimeout // its cost is not known then
    const redact = (text: string) => session.services.scrubber.text(text)
    const reason = signal.aborted ? WITHDRAWN : clause(faultSentence(fault, redact))
    return { reason, ...(isCut && model !== undefined ? { model } : {}) }
  }
}

/** A sentence as a clause. */
function clause(sentence: string): string {
  return `the model did not answer: ${sentence.replace(/\.$/, "")}`
}

function refused(reason: string): SamplingAnswer {
  return { kind: "refused", reason }
}

function callAsk(
  { session, call: { id: callId }, number }: Asking,
  request: { readonly server: ServerAsk; readonly reason: string; readonly questions?: readonly Question[] },
): CallAsk {
  const { server, reason } = request
  const questions = request.questions?.map(shownQuestion)
  const { tool = "", input = null } = requestSubject({ server }) ?? {}
  const shown = [number, reason, input, questions ?? []]
  const digest = callDigest(session.services.digestKey, session.id, callId, tool, shown)
  return { callId, reason, causes: undefined, digest, server, ...(questions === undefined ? {} : { questions }) }
}
