// Asks the provider of a draft for its models, which also shows whether its key is valid. Costs no tokens.
import type { ModelListing } from "../../contract/views/host.ts"
import { fetchList, hasList, type FetchedList } from "../../models/catalogue/fetch-list.ts"
import { listProvider } from "../../models/listing.ts"
import { checkKey, isRefusal, type KeyCheck } from "../../models/logins/check-key.ts"
import { loadKnownModels } from "../../models/model-facts.ts"
import type { Fetch, Provider } from "../../models/providers/provider.ts"
import type { AppContext } from "../context.ts"
import { loginsOf, modelFiles } from "../settings/model-files.ts"
import { usageFault } from "../app-fault.ts"
import { defaultModelOf, draftProvider, type SetupDraft } from "./draft.ts"

export interface SetupModels {
  readonly provider: string
  readonly models: readonly Omit<ModelListing, "isDefault">[]
  readonly defaultModel: string | undefined
  /** The list is the provider's own, not that of the catalogue. */
  readonly isOwnList: boolean
  readonly verdict: KeyCheck["verdict"]
  /** Why the verdict is unknown. */
  readonly reason: string | undefined
}

const TIMEOUT_MS = 10_000

export async function listSetupModels(
  context: AppContext,
  draft: SetupDraft,
  signal: AbortSignal,
): Promise<SetupModels> {
  const provider = draftProvider(context, draft)
  if (provider === undefined) throw usageFault(`no provider named "${draft.provider}"`)
  const fetch = stoppable(loginsOf(context.home).fetchFor(provider.name, globalThis.fetch) ?? globalThis.fetch, signal)
  const check = draft.key === undefined ? await asked(provider, fetch) : await checkKey(provider, draft.key, fetch)
  const own = check.verdict === "refused" ? undefined : check.models
  const known = await loadKnownModels(modelFiles(context.home))
  return {
    provider: provider.name,
    models: listProvider(provider, own, known),
    defaultModel: defaultModelOf(provider),
    isOwnList: own !== undefined,
    verdict: check.verdict,
    reason: check.verdict === "unknown" ? check.reason : undefined,
  }
}

/** With the key that the provider has now, or without one. */
async function asked(provider: Provider, fetch: Fetch): Promise<KeyCheck> {
  if (!hasList(provider)) return { verdict: "unknown", reason: "it has no list of models" }
  const list: FetchedList = await fetchList(provider, fetch, TIMEOUT_MS)
  if ("models" in list) return { verdict: "accepted", models: list.models }
  if (isRefusal(provider, list.status)) return { verdict: "refused" }
  return { verdict: "unknown", reason: list.problem }
}

function stoppable(fetch: Fetch, stop: AbortSignal): Fetch {
  return (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([stop, ...(init?.signal ? [init.signal] : [])]) })
}
