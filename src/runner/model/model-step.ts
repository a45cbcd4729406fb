// One step: calls the model, streams its answer and reports its end. A call that fails before its first content is
// retried; an answer that breaks off later is continued by a new step, unless the fault is final.
import { settingsOf } from "../../contract/rules/session-settings.ts"
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { StepId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { Finish } from "../../contract/values.ts"
import { faultSentence } from "../../models/fault-sentence.ts"
import { AnswerCut, ModelFault, PromptTooLong, QuotaExhausted } from "../../models/faults.ts"
import { UnknownProvider, type ModelChoice } from "../../models/model-source.ts"
import { withOwnThoughts } from "../../models/own-thoughts.ts"
import { withCachePoints } from "../../models/prompt-cache.ts"
import { contextItems } from "../../projection/context.ts"
import type { AnswerPart, ModelFailed } from "../../session/report.ts"
import type { Tool } from "../../tools/tool.ts"
import { askModel, type ModelResult, type ModelRequest } from "./ask-model.ts"
import { Checkpoints } from "./checkpoints.ts"
import { planCompaction, type CompactionPlan } from "../compaction/plan-compaction.ts"
import { agedIn, requestTokens, windowOf } from "../prompt/context-size.ts"
import { PromptRefused, type RequestAdditions } from "../hooks/hook-points.ts"
import { LiveStep } from "./live-step.ts"
import { startPreamble, type Preamble } from "../../features/chat-service/effects/preamble.ts"
import { promptMessages } from "../prompt/prompt-messages.ts"
import { readablePrompt } from "../prompt/unreadable-files.ts"
import { freshEnvironment, type FreshEnvironment } from "../prompt/environment.ts"
import { withResultImages } from "../prompt/result-images.ts"
import { retrieve } from "../prompt/retrieval.ts"
import type { SessionContext } from "../session-context.ts"
import { fallBack, isProviderFailure } from "./fallback.ts"
import { sessionModel } from "./session-model.ts"
import { withThinking } from "./thinking.ts"
import { systemText } from "../prompt/system-text.ts"
import { checkedPart, toolNameFor } from "../tools/called-tool.ts"
import { offeredTools } from "../tools/on-demand.ts"
import { toolsOfTurn, usesTools } from "../tools/tool-set.ts"
import { pause } from "../waiting.ts"

export async function callModel(session: SessionContext, stepId: StepId, signal: AbortSignal): Promise<void> {
  try {
    await runStep(session, stepId, signal)
  } catch (fault) {
    if (!signal.aborted) await reportFault(session, stepId, fault)
  }
}

async function runStep(session: SessionContext, stepId: StepId, signal: AbortSignal): Promise<void> {
  const { services, state } = session
  const plain = capped(await sessionModel(session, signal), settingsOf(state.created).maxOutput)
  const { choice, thinking } = withThinking(session, plain)
  signal.throwIfAborted()
  const freshly = freshEnvironment(session) // git is asked meanwhile
  freshly.catch(() => {}) // awaited below, unless something else fails first
  await retrieve(session, signal)
  signal.throwIfAborted()
  if (choice.takesTools !== false && usesTools(state)) await session.servers?.ready(signal)
  const additions = await session.hooks?.beforeRequest(contextItems(session.context))
  const tools = choice.takesTools === false ? [] : offeredTools(session, toolsOfTurn(state, session.tools))
  const toolNames = tools.map(({ name }) => name)
  const system = await systemText(session, toolNames, additions?.system)
  const environment = await freshly
  signal.throwIfAborted()
  const options = callOptions(session, plain, tools, { ...additions, system, environment })
  const window = windowOf(session, choice)
  const tokens = requestTokens(session.context, { name: choice.name, window }, options)
  const isFull = tokens > window * limits.compactAt
  if (isFull && state.turn?.step?.compactions === 0 && planFor(session, choice)?.isPromptOnly === false) {
    await session.report({ type: "context-full", stepId })
    return
  }
  const reservation = services.ledger.reserve(state, choice, tokens)
  if (reservation.kind === "refused") {
    const { message, waitsFor } = reservation
    await session.report({ type: "turn-blocked", stepId, why: "budget", message, waitsFor })
    return
  }
  const held = [reservation]
  const reserveAnother = () => {
    const additional = services.ledger.reserve(state, choice, tokens)
    if (additional.kind === "refused") return additional.message
    held.push(additional)
    return undefined
  }
  try {
    const request = { choice, options, thinking, signal, reserveAnother, environment: environment?.text }
    await answer(session, stepId, request)
  } catch (fault) {
    if (signal.aborted) throw fault
    if (fault instanceof AnswerCut) return await resume(session, stepId, fault, signal)
    if (isProviderFailure(fault) && (await fallBack(session, stepId, fault))) return
    if (!(fault instanceof PromptTooLong)) throw fault
    session.refusedTokens.set(choice.name, tokens)
    await makeRoom(session, stepId, choice, fault)
  } finally {
    for (const each of held) each.release()
  }
}

/**
 * Streamed text is stored and a new step continues it, as after a crash. Without any the step stays open and the model
 * is called again.
 */
async function resume(session: SessionContext, stepId: StepId, fault: Error, signal: AbortSignal): Promise<void> {
  const { cutAnswers, services, state } = session
  const turnId = state.turn?.id
  const count = (cutAnswers.turnId === turnId ? cutAnswers.count : 0) + 1
  session.cutAnswers = { turnId, count }
  if (count >= limits.cutAnswers)
    throw new ModelFault(`The provider broke off the answer ${count} times in a row. ${fault.message}`)
  services.warn(`the answer broke off; continuing it: ${fault.message}`, session.id)
  await pause(resumeAfterMs * 2 ** (count - 1), signal)
  if (!signal.aborted) await session.report({ type: "answer-cut", stepId })
}

const resumeAfterMs = 500

/** The provider accepts less than was assumed: compacts the context, then the model is called again. */
async function makeRoom(session: SessionContext, stepId: StepId, choice: ModelChoice, fault: Error): Promise<void> {
  const compactions = session.state.turn?.step?.compactions ?? 0
  if (compactions >= limits.compactionsPerStep || planFor(session, choice) === undefined)
    throw new ModelFault(`${tooLongMessage(choice.name)} ${fault.message}`)
  await session.report({ type: "context-full", stepId })
}

/** Sessions of the WebSocket API keep the newest messages instead. */
function planFor(session: SessionContext, choice: ModelChoice): CompactionPlan | undefined {
  if (!settingsOf(session.state.created).compacts) return undefined
  return planCompaction(session.context, true, windowOf(session, choice))
}

function tooLongMessage(model: string): string {
  return `The request is too long for ${model}, and summarising more of the conversation cannot make it fit. Shorten the prompt or the system text, offer fewer tools, or choose a model with a larger context window.`
}

async function answer(session: SessionContext, stepId: StepId, request: ModelRequest): Promise<void> {
  const { services } = session
  const { signal } = request
  const preamble = startPreamble(session)
  const publish = (delta: SessionDelta) => {
    if (delta.type === "text.delta") preamble?.answerStarted()
    session.publish(delta)
  }
  const quickReplies = settingsOf(session.state.created).hasVisitors
  const toolName = (name: string) => toolNameFor(session.tools, name)
  const live = new LiveStep(stepId, { ...services, publish, quickReplies, toolName })
  session.stream(live)
  const checkpoints = new Checkpoints(session, live)
  try {
    const result = await askModel(session, live, request)
    checkpoints.end()
    session.cutAnswers = { turnId: undefined, count: 0 }
    if (!signal.aborted) await reportAnswer(session, live, request, result, preamble)
  } finally {
    checkpoints.end()
    preamble?.end()
    if (signal.aborted) await checkpoints.saveAll() // the next host gets all streamed text
  }
}

async function reportAnswer(
  session: SessionContext,
  live: LiveStep,
  { choice, environment }: ModelRequest,
  result: ModelResult,
  preamble: Preamble | undefined,
): Promise<void> {
  const parts = live.answer({ isCutOff: result.finish === "length" }).map((part) => checkedPart(session, part))
  const isContinued = session.state.turn?.step?.continues !== undefined // a continued answer may have nothing left to say
  const isEmpty = result.finish !== "length" && !isContinued && isEmptyAnswer(parts)
  const finish = isEmpty && !isRefused(result.finish) ? "empty" : result.finish
  await session.report({
    type: "model-answered",
    stepId: live.stepId,
    parts,
    aside: preamble?.end(),
    model: choice.name,
    environment,
    ...result,
    finish,
  })
}

/** Reasoning alone is no answer. */
function isEmptyAnswer(parts: readonly AnswerPart[]): boolean {
  return parts.every(
    (part) =>
      part.kind === "reasoning" || (part.kind === "text" && part.text.trim() === "" && part.suggestions === undefined),
  )
}

function isRefused(finish: Finish): boolean {
  return finish === "refusal" || finish === "content-filter"
}

async function reportFault(session: SessionContext, stepId: StepId, fault: unknown): Promise<void> {
  if (fault instanceof QuotaExhausted) {
    await session.report({ type: "turn-blocked", stepId, why: "quota", message: fault.message, until: fault.until })
    return
  }
  const redact = (text: string) => session.services.scrubber.text(text)
  const error = fault instanceof PromptRefused ? redact(fault.message) : faultSentence(fault, redact)
  await session.report({ type: "model-failed", stepId, error, ...codeOf(fault) })
}

function codeOf(fault: unknown): Pick<ModelFailed, "code"> {
  if (fault instanceof UnknownProvider) return { code: "provider.unknown" }
  return fault instanceof PromptRefused ? { code: "prompt.refused" } : {}
}

interface StepTexts {
  readonly system: string
  readonly environment: FreshEnvironment | undefined
}

function callOptions(
  session: SessionContext,
  choice: ModelChoice,
  tools: readonly Tool[],
  { system, message: addition, environment }: RequestAdditions & StepTexts,
): LanguageModelV4CallOptions {
  const { takesPrefill } = choice
  const hints = session.services.hintsReferences === true
  const items = contextItems(session.context)
  const aged = agedIn(session.context, windowOf(session, choice))
  const messages = promptMessages(items, { system, takesPrefill, addition, environment, aged, hints })
  const { prompt: readable, replaced } = readablePrompt(messages, choice)
  const prompt = withOwnThoughts(choice.model, withResultImages(readable, choice.model))
  for (const kind of replaced) session.warn(unreadableSentence(choice.name, kind))
  const options = { prompt, tools: tools.map(functionTool), maxOutputTokens: choice.maxOutput }
  return withCachePoints(choice.model, options)
}

function unreadableSentence(model: string, kind: string): string {
  return `${model} cannot read ${kind}: it gets a note in place of each. Choose a model that can (turnhouse models), or correct its abilities in prices.json.`
}

function capped(choice: ModelChoice, maxOutput: number): ModelChoice {
  return choice.maxOutput <= maxOutput ? choice : { ...choice, maxOutput }
}

const functionTools = new WeakMap<Tool, LanguageModelV4FunctionTool>()

/** The same object each time, so that its size is estimated once. */
function functionTool(tool: Tool): LanguageModelV4FunctionTool {
  const known = functionTools.get(tool)
  if (known !== undefined) return known
  const { name, description, inputSchema } = tool
  const definition: LanguageModelV4FunctionTool = { type: "function", name, description, inputSchema }
  functionTools.set(tool, definition)
  return definition
}
