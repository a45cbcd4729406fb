// Whether a provider refused a request because of its thinking level. Nothing says beforehand which models of a server
// take one.
import { readProviderError } from "../provider-error.ts"
import { isPromptTooLong } from "../verdict.ts"

/** Characters of a message that are searched. */
const MAX_SEARCHED = 2000

/** For a request that had a level. */
export function isThinkingRefusal(fault: unknown): boolean {
  const error = readProviderError(fault)
  if ((error.status !== 400 && error.status !== 422) || isPromptTooLong(error)) return false
  return /reasoning|think/i.test(`${error.message.slice(0, MAX_SEARCHED)} ${error.body.slice(0, MAX_SEARCHED)}`)
}
