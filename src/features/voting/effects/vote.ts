// Sends the same request several times until one answer leads by enough votes. Only as many requests run in parallel as
// may still be needed, so that none is wasted when the vote is decided. The cost of a vote is limited: beyond the limit no
// request is sent. Tools run once, after the vote.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Usage, Votes, Voting } from "../../../contract/values.ts"
import { ModelFault } from "../../../models/faults.ts"
import { usageOf, type FinishPart } from "../../../models/usage.ts"
import { addTokens } from "../../../projection/usage.ts"
import { Ballot } from "../ballot.ts"
import { ballotKey, readSample, redFlag, type Sample } from "./sample.ts"

export interface ModelResponse {
  readonly stream: AsyncIterable<LanguageModelV4StreamPart>
  /** The cost that a gateway reports; undefined if it reports none. */
  readonly costUsd: () => number | undefined
}

export interface VoteOptions {
  readonly voting: Voting
  readonly signal: AbortSignal
  readonly request: () => Promise<ModelResponse>
  /** Reserves the budget for one more answer until the vote is over; returns why not, as a sentence. The first answer has its own reservation. */
  readonly reserveAnother: () => string | undefined
  readonly price: (usage: Usage) => number | undefined
  readonly progress: (message: string, fraction: number) => void
}

export interface Voted {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly finish: FinishPart
  /** Of all answers together; undefined where no answer reported it. */
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
  readonly votes: Votes
}

export function vote(options: VoteOptions): Promise<Voted> {
  return new Vote(options).run()
}

class Vote {
  readonly #options: VoteOptions
  readonly #ballot: Ballot<Sample>
  readonly #running = new Set<Promise<void>>()
  #requestCount = 0
  #discarded = 0
  #lastFlag = ""
  #usage: Usage | undefined
  #costUsd: number | undefined
  /** The cost of the most expensive answer so far. */
  #highestUsd: number | undefined
  /** Why no further request is sent without a decision. */
  #stopped: unknown

  constructor(options: VoteOptions) {
    this.#options = options
    this.#ballot = new Ballot(options.voting.ahead)
  }

  async run(): Promise<Voted> {
    for (;;) {
      while (this.#needsMore()) this.#begin()
      if (this.#running.size === 0) break
      await Promise.race(this.#running)
    }
    this.#options.signal.throwIfAborted()
    return this.#outcome()
  }

  #needsMore(): boolean {
    const { samples, parallel } = this.#options.voting
    if (this.#stopped !== undefined || this.#options.signal.aborted || !this.#isAffordable()) return false
    return this.#requestCount < samples && this.#running.size < Math.min(parallel, this.#ballot.missing)
  }

  /** Running requests count at the highest cost so far. The first one runs alone, since its cost is unknown. */
  #isAffordable(): boolean {
    const { usd } = this.#options.voting
    if (usd === undefined) return true
    if (this.#highestUsd === undefined) return this.#running.size === 0
    return (this.#costUsd ?? 0) + this.#running.size * this.#highestUsd < usd
  }

  #begin(): void {
    const refusal = this.#requestCount === 0 ? undefined : this.#options.reserveAnother()
    if (refusal !== undefined) {
      this.#stopped = new ModelFault(refusal)
      return
    }
    this.#requestCount += 1
    const sample = this.#sample().finally(() => this.#running.delete(sample))
    this.#running.add(sample)
  }

  async #sample(): Promise<void> {
    try {
      const response = await this.#options.request()
      const sample = await readSample(response.stream)
      this.#charge(sample.finish, response.costUsd())
      this.#count(sample)
    } catch (fault) {
      this.#stopped = fault // it was already retried
    }
  }

  #count(sample: Sample): void {
    const { voting, progress } = this.#options
    const flag = redFlag(sample, voting.longest)
    if (flag === undefined) this.#ballot.cast(ballotKey(sample), sample)
    else {
      this.#discarded += 1
      this.#lastFlag = flag
    }
    const note = flag === undefined ? "" : ` (not counted: ${flag})`
    const answers = this.#ballot.counted + this.#discarded
    progress(`vote ${answers}: ${this.#ballot.tally}${note}`, Math.min(1, this.#ballot.lead / voting.ahead))
  }

  #charge(finish: FinishPart, reportedUsd: number | undefined): void {
    const usage = usageOf(finish)
    const costUsd = reportedUsd ?? (usage === undefined ? undefined : this.#options.price(usage))
    if (usage !== undefined) this.#usage = this.#usage === undefined ? usage : addTokens(this.#usage, usage)
    if (costUsd !== undefined) this.#costUsd = (this.#costUsd ?? 0) + costUsd
    this.#highestUsd = Math.max(this.#highestUsd ?? 0, costUsd ?? 0)
  }

  #outcome(): Voted {
    const { leader, lead, counted } = this.#ballot
    const { ahead, failFast } = this.#options.voting
    if (leader === undefined) throw this.#stopped ?? new ModelFault(noneCounted(this.#discarded, this.#lastFlag))
    if (lead < ahead && failFast === true) throw this.#stopped ?? new ModelFault(noResult(counted, lead, ahead))
    const [best, next] = this.#ballot.best
    const undecided = lead < ahead ? { undecided: { best, next } } : {}
    const votes = { counted, discarded: this.#discarded, lead, ahead, ...undecided }
    return { ...leader, usage: this.#usage, costUsd: this.#costUsd, votes }
  }
}

function noneCounted(discarded: number, flag: string): string {
  return `None of ${discarded} answers could be counted: of the last one, ${flag}.`
}

function noResult(counted: number, lead: number, ahead: number): string {
  return `The vote has no result: after ${counted} answers the best leads by ${lead}, and ${ahead} are needed.`
}
