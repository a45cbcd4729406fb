// The questions of setup: a provider, its key, a model. Writes nothing, except that a login with a browser is stored at once.
import { usageFault } from "../../app/app-fault.ts"
import type { AppContext } from "../../app/context.ts"
import type { SetupDraft } from "../../app/setup/draft.ts"
import { prepareProvider } from "./ask-key.ts"
import { askModel } from "./ask-model.ts"
import { askProvider, type ProviderChoice } from "./ask-provider.ts"

export interface SetupChoice {
  /** Absent where the model needs nothing. */
  readonly draft?: SetupDraft
  /** As provider/model. */
  readonly model: string
}

/** What the user has named already is not asked for. */
export interface NamedSetup {
  readonly provider?: string | undefined
  /** The part after `provider/`. */
  readonly model?: string | undefined
}

export const demo: SetupChoice = { model: "offline/demo" }

export async function askSetup(context: AppContext, named: NamedSetup = {}): Promise<SetupChoice> {
  for (;;) {
    const chosen: ProviderChoice =
      named.provider === undefined ? await askProvider(context) : { provider: named.provider }
    if (chosen === "demo") return demo
    const ready = await prepareProvider(context, chosen)
    const model = ready && (named.model ?? (await askModel(ready.found, currentOf(context, ready.draft.provider))))
    if (ready !== undefined && model !== undefined)
      return { draft: ready.draft, model: `${ready.draft.provider}/${model}` }
    if (named.provider !== undefined) throw usageFault("setup was ended. The model was not changed.")
  }
}

/** The model of this provider that is set now. */
function currentOf({ config: { model = "" } }: AppContext, provider: string): string | undefined {
  return model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : undefined
}
