// The default model of a session: the configured one, else the default of the first provider with a key, else a model of
// a configured or local server, else the offline model.
import { vendors } from "./providers/builtin.ts"
import type { Provider } from "./providers/provider.ts"
import type { ServedModel } from "./providers/served-models.ts"

export interface DefaultSources {
  readonly configured: string | undefined
  readonly providers: readonly Provider[]
  readonly served: (provider: Provider) => Promise<readonly ServedModel[] | undefined>
}

export const offlineDemo = "offline/demo"

export async function chooseDefault({ configured, providers, served }: DefaultSources): Promise<string> {
  if (configured !== undefined) return configured
  const usable = providers.filter((provider) => provider.lacks === undefined)
  for (const provider of usable) {
    const usual = vendors[provider.type].defaultModel
    if (usual !== undefined) return `${provider.name}/${usual}`
  }
  // All servers are asked at once, so that one that hangs costs only its own timeout; the order still decides.
  const answers = usable.map(async (provider) => ({ provider, models: await served(provider) }))
  for (const { provider, models } of await Promise.all(answers)) {
    const first = models?.[0]
    if (first !== undefined) return `${provider.name}/${first.id}`
  }
  return offlineDemo
}
