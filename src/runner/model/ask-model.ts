// One request to a model: its answer is streamed, or decided by a vote and then published whole. Votes are only for turns
// whose tools change nothing, since only one of the compared answers may act.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type { Finish, Usage, Votes, Voting } from "../../contract/values.ts"
import { expectedVotes } from "../../features/voting/odds.ts"
import type { Answer } from "../../models/answer-stream.ts"
import { metered } from "../../models/metered.ts"
import type { ModelChoice } from "../../models/model-source.ts"
import { readWithRetries, streamWithRetries, type Retry } from "../../models/retry.ts"
import type { ThinkingPlan } from "../../models/thinking/plan.ts"
import { finishOf, usageOf, type FinishPart } from "../../models/usage.ts"
import type { LiveStep } from "./live-step.ts"
import { startAnswer } from "./thinking.ts"
import type { SessionContext } from "../session-context.ts"
import { estimatedTokens } from "../prompt/token-estimate.ts"
import { toolsOfTurn } from "../tools/tool-set.ts"

import { readSample, DEFAULT_MAX_TOKENS } from "../../features/voting/effects/sample.ts"
import { vote, type ModelResponse } from "../../features/voting/effects/vote.ts"

export interface ModelRequest {
  readonly choice: ModelChoice
  readonly options: LanguageModelV4CallOptions
  readonly thinking?: ThinkingPlan["options"] | undefined
  readonly signal: AbortSignal
  /** Date and git state, where they are new in this request. */
  readonly environment?: string | undefined
  /** Reserves the budget for one more answer; returns why not, as a sentence. */
  readonly reserveAnother: () => string | undefined
}

/** How an answer ended and what it cost. */
export interface ModelResult {
  readonly finish: Finish
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
  readonly votes?: Votes
}

interface StartedAnswer {
  readonly answer: Answer
  /** Reported by the provider. */
  readonly costUsd: ModelResponse["costUsd"]
}

export async function askModel(session: SessionContext, live: LiveStep, request: ModelRequest): Promise<ModelResult> {
  const voting = votingOf(session)
  if (voting !== undefined) return runVote(session, live, request, voting)
  const { answer, costUsd } = await start(session, request)
  const finish = await readAnswer(answer, live)
  const usage = finish === undefined ? undefined : usageOf(finish)
  return {
    finish: finish === undefined ? "other" : finishOf(finish.finishReason),
    usage,
    costUsd: usage === undefined ? undefined : (costUsd() ?? request.choice.costUsd(usage)),
  }
}

async function start(session: SessionContext, request: ModelRequest): Promise<StartedAnswer> {
  const { choice, options, thinking, signal } = request
  const meter = metered((abortSignal) => startAnswer(session, choice, { ...options, abortSignal }, thinking))
  const answer = await streamWithRetries(meter.start, { signal, ...retries(session) })
  return { answer, costUsd: () => meter.costUsd }
}

function retries({ services, id }: SessionContext) {
  return {
    onRetry: ({ sentence }: Retry) => services.warn(`retrying the model call: ${sentence}`, id),
    redact: (text: string) => services.scrubber.text(text),
  }
}

/** Nothing is published before the vote is over, so an answer that breaks off is requested again. */
async function wholeAnswer(session: SessionContext, request: ModelRequest): Promise<ModelResponse> {
  const { choice, options, thinking, signal } = request
  const meter = metered((abortSignal) => startAnswer(session, choice, { ...options, abortSignal }, thinking))
  const { parts, finish } = await readWithRetries(meter.start, readSample, { signal, ...retries(session) })
  return { stream: ReadableStream.from([...parts, finish]), costUsd: () => meter.costUsd }
}

async function readAnswer(answer: Answer, live: LiveStep): Promise<FinishPart | undefined> {
  let finish: FinishPart | undefined
  try {
    for (let parts = await answer.nextBatch(); parts !== undefined; parts = await answer.nextBatch()) {
      for (const part of parts) {
        if (part.type === "finish") finish = part
        else live.accept(part)
      }
    }
  } finally {
    answer.end()
  }
  return finish
}

/** Only where every tool of the turn is read-only, as in plan mode. */
function votingOf({ state, tools }: SessionContext): Voting | undefined {
  const voting = state.turnVoting
  if (voting === undefined || state.turn?.step?.continues !== undefined) return undefined
  return toolsOfTurn(state, tools).every((tool) => tool.class === "read") ? voting : undefined
}

async function runVote(
  session: SessionContext,
  live: LiveStep,
  request: ModelRequest,
  voting: Voting,
): Promise<ModelResult> {
  const { choice, options, signal, reserveAnother } = request
  announce(session, live, choice, estimatedTokens(options), voting)
  const voted = await vote({
    voting,
    signal,
    request: () => wholeAnswer(session, request),
    reserveAnother,
    price: choice.costUsd,
    progress: (message, fraction) =>
      session.publish({ type: "voting.progressed", stepId: live.stepId, message, fraction }),
  })
  for (const part of voted.parts) live.accept(part)
  const { usage, costUsd, votes } = voted
  return { finish: finishOf(voted.finish.finishReason), usage, costUsd, votes }
}

/** Announces the likely and the highest cost of the vote before it starts. */
function announce(session: SessionContext, live: LiveStep, choice: ModelChoice, input: number, voting: Voting): void {
  const { samples, usd } = voting
  const count = Math.min(expectedVotes(voting.ahead), samples)
  const price = (output: number) =>
    choice.costUsd({ input, output, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 })
  const likelyUsd = times(price(Math.min(choice.maxOutput, voting.longest ?? DEFAULT_MAX_TOKENS)), count)
  const maxUsd = times(price(choice.maxOutput), samples) // an answer that is too long does not count, but costs
  const overLimit = likelyUsd !== undefined && usd !== undefined && likelyUsd > usd
  const limit = usd === undefined ? "" : `; it stops at ${usd} USD${overLimit ? ", probably without a decision" : ""}`
  const message = `vote: probably ${answers(count, likelyUsd)}; at most ${answers(samples, maxUsd)}${limit}`
  const delta = { type: "voting.progressed", stepId: live.stepId, message, fraction: 0 } as const
  session.publish(overLimit ? { ...delta, overLimit } : delta)
}

function times(usd: number | undefined, count: number): number | undefined {
  return usd === undefined ? undefined : usd * count
}

function answers(count: number, usd: number | undefined): string {
  return `${count} answers, ${usd === undefined ? "price unknown" : `${usd.toFixed(4)} USD`}`
}
