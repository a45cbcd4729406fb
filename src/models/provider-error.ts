// Reads what a provider package throws, by shape and not by class: several versions of a package may be loaded, and
// errors inside a stream are plain objects.
import { isObject } from "../contract/json-object.ts"
import { InStreamError } from "./faults.ts"

export interface ProviderError {
  readonly message: string
  readonly status: number | undefined
  /** Whether the provider says so, if it does. */
  readonly retryable: boolean | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string
  /** Type and code words: `overloaded_error`, `insufficient_quota` … */
  readonly codes: string
  readonly host: string | undefined
  /** The error code of a failed connection. */
  readonly errno: string | undefined
  readonly inStream: boolean
}

export function readProviderError(thrown: unknown): ProviderError {
  const inStream = thrown instanceof InStreamError
  const error = inStream ? thrown.original : thrown
  const fields = isObject(error) ? error : {}
  const detail = detailOf(fields)
  return {
    message: text(fields["message"]) ?? text(detail["message"]) ?? text(error) ?? "",
    status: number(fields["statusCode"]) ?? number(detail["code"]),
    retryable: typeof fields["isRetryable"] === "boolean" ? fields["isRetryable"] : undefined,
    headers: stringsOf(fields["responseHeaders"]),
    body: text(fields["responseBody"]) ?? "",
    codes: [fields, detail].flatMap((from) => [from["type"], from["code"], from["status"]].map(text)).join(" "),
    host: hostOf(fields["url"]),
    errno: errnoOf(error),
    inStream,
  }
}

/** `{error: {type, code, message}}`, as most providers send it: in the body of a refusal, or in the stream itself. */
function detailOf(fields: Record<string, unknown>): Record<string, unknown> {
  const data = fields["data"]
  const inner = isObject(data) ? data["error"] : fields["error"]
  return isObject(inner) ? inner : {}
}

function errnoOf(error: unknown): string | undefined {
  let current = error
  for (let depth = 0; depth < 8 && isObject(current); depth += 1) {
    const code = text(current["code"])
    if (code !== undefined && /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)) return code
    current = current["cause"]
  }
  return undefined
}

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host : undefined
}

function stringsOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined
  const pairs = Object.entries(value).flatMap(([key, entry]): [string, string][] =>
    typeof entry === "string" ? [[key.toLowerCase(), entry]] : [],
  )
  return Object.fromEntries(pairs)
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && value >= 100 && value < 600 ? value : undefined
}
