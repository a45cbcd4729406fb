// The ways a model call can fail, as the runner sees them. Everything a provider package throws ends as one of these
// (or as the reason of the caller's own abort), with a sentence a person may read. The original is not kept as a cause
// where it holds the whole request: it would take the conversation into every log.

/** The provider will not answer before `until` (epoch ms), or before somebody pays: the turn can wait. */
export class QuotaExhausted extends Error {
  override readonly name = "QuotaExhausted"
  readonly until: number | undefined

  constructor(message: string, until?: number) {
    super(message)
    this.until = until
  }
}

/** A call that failed for good. */
export class ModelFault extends Error {
  override readonly name: string = "ModelFault"
  /** HTTP status, where there was one. */
  readonly status: number | undefined

  constructor(message: string, options: { readonly status?: number | undefined; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
  }
}

/** An answer broke off after its first content, for a reason that may be gone when the model is called again. */
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

/** What a provider said inside a stream that had begun well. */
export class InStreamError extends Error {
  override readonly name = "InStreamError"
  readonly original: unknown

  constructor(original: unknown) {
    super("The provider reported an error in the middle of its answer.")
    this.original = original
  }
}
