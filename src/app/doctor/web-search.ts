// Checks whether web_search can be offered. The service is not asked, since that would cost money.
import type { Config } from "../../contract/config.ts"
import { findWebSearch } from "../settings/web-search.ts"
import { ok, warning, type Check } from "./finding.ts"

const subject = "web search"

export function webSearchChecks(config: Config, env: NodeJS.ProcessEnv): readonly Check[] {
  const found = findWebSearch(config, env)
  if (found === undefined) return []
  if ("missing" in found)
    return [{ subject, look: async () => [warning(subject, found.missing, "or remove web.search")] }]
  const { service, keySource } = found
  const key = keySource === undefined ? "without a key" : `has a key (${keySource})`
  return [{ subject, look: async () => [ok(subject, `${service.label} ${key}`)] }]
}
