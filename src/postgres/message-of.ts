/** Of several failed attempts the first. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return messageOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
