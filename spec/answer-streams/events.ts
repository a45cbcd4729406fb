// Helpers to write streams as text.

/** One event with this data. */
export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** One event with a name, as Anthropic and OpenAI's responses have it. */
export function event(value: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${value.type}\n${data(value)}`
}

/** A stream and what is special in it. */
export interface Sample {
  readonly name: string
  readonly text: string
  /** How often the package has to take over; never unless told. */
  readonly takeovers?: number
}
