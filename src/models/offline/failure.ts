// Errors of a scripted call, as provider packages throw them. The class is loaded on demand.
import type { APICallError } from "@ai-sdk/provider"
import type { Failure } from "./part.ts"

/** Without a status it is a connection error, which can be retried. */
export async function callFailure({ message, status, retryAfter }: Failure): Promise<APICallError> {
  const provider = await import("@ai-sdk/provider")
  return new provider.APICallError({
    message,
    url: "offline://offline-model",
    requestBodyValues: {},
    isRetryable: status === undefined || [408, 409, 429].includes(status) || status >= 500,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(retryAfter === undefined ? {} : { responseHeaders: { "retry-after": String(retryAfter) } }),
  })
}
