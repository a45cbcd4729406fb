// When a provider allows a retry: a header in seconds, milliseconds or as a date, or (Google) a field in the body. An
// unreadable value is ignored.
const longest = 365 * 24 * 3600 * 1000

/** Milliseconds from now; undefined if the response has none. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  body: string | undefined,
  now: number,
): number | undefined {
  const said = fromHeaders(headers ?? {}, now) ?? fromBody(body ?? "")
  return said === undefined ? undefined : Math.min(Math.max(0, said), longest)
}

function fromHeaders(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = number(headers["retry-after-ms"])
  if (milliseconds !== undefined) return milliseconds
  const value = headers["retry-after"]
  const seconds = number(value)
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(value ?? "")
  return Number.isNaN(date) ? undefined : date - now
}

/** `"retryDelay": "34s"`, as in google.rpc.RetryInfo. */
function fromBody(body: string): number | undefined {
  const seconds = number(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1])
  return seconds === undefined ? undefined : seconds * 1000
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
