// The errors that a scripted call ends with, as provider packages throw them. The class is loaded when one is needed.
import type { APICallError } from "@ai-sdk/provider"
import type { Failure } from "./part.ts"

/** Without a status it is a failure of the connection, which may be tried again. */
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
