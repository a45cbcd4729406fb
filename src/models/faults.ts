// How a model call can fail, as the runner sees it. Everything a provider package throws becomes one of these, or the
// reason of the caller's abort. An original error that holds the whole request is not kept as a cause: it would put the
// conversation into every log.

/** The quota is exhausted until `until` (epoch ms) or until it is raised: the turn can wait. */
export class QuotaExhausted extends Error {
  override readonly name = "QuotaExhausted"
  readonly until: number | undefined

  constructor(message: string, until?: number) {
    super(message)
    this.until = until
  }
}

/** A call that failed permanently. */
export class ModelFault extends Error {
  override readonly name: string = "ModelFault"
  /** HTTP status, if there was a response. */
  readonly status: number | undefined

  constructor(message: string, options: { readonly status?: number | undefined; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
  }
}

/** Every attempt failed for a temporary reason before the first content: another model may answer. */
export class ProviderFailing extends ModelFault {
  override readonly name = "ProviderFailing"
}

/** An answer broke off after its first content for a temporary reason. */
export class AnswerCut extends ModelFault {
  override readonly name = "AnswerCut"
}

/** The request does not fit the model's context window. */
export class PromptTooLong extends ModelFault {
  override readonly name = "PromptTooLong"
}

/** An answer that stopped before it was complete: silence, a cut connection, an end without a finish. */
export class BrokenAnswer extends Error {
  override readonly name = "BrokenAnswer"
  readonly isRetryable = true
}

/** An error that a provider reported inside a started stream. */
export class InStreamError extends Error {
  override readonly name = "InStreamError"
  readonly original: unknown

  constructor(original: unknown) {
    super("The provider reported an error in the middle of its answer.")
    this.original = original
  }
}
