// Parts of a prompt that may be different in the next request, and the one with date and git state.

interface Part {
  readonly type?: string
  readonly text?: string
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

/** Marks a part of a prompt that may be different in the next request. */
export const changing = { turnhouse: { changing: true } }
/** First line of the part with date and git state. */
export const environmentTag = "<environment>"

export function isChanging({ providerOptions }: Part): boolean {
  return providerOptions?.["turnhouse"]?.["changing"] === true
}

/** Whether the part has date and git state; what users write is never marked so. */
export function isEnvironmentPart(part: Part): boolean {
  return isChanging(part) && part.text?.startsWith(environmentTag) === true
}
