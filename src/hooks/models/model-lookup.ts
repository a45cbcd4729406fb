// Finds a model among the extensions of a session, or says what is missing. Waits for the extension to start, without a
// limit: no other provider has the model.
import type { ExtensionModel } from "../../contract/extension-model.ts"
import type { HostedExtension } from "../hosted-extension.ts"
import type { ProvidedModel } from "./provider-model.ts"

export type FoundModel =
  | { readonly kind: "found"; readonly model: ProvidedModel }
  | { readonly kind: "missing"; readonly why: string }

export async function findModel(
  extensions: readonly HostedExtension[],
  { extension: id, provider, model }: ExtensionModel,
): Promise<FoundModel> {
  const extension = extensions.find((one) => one.id === id)
  if (extension === undefined) return missing(`this session has no extension '${id}'`)
  const started = await extension.started
  if (started.kind === "failed") return missing(`extension ${id} was not loaded: ${started.reason}`)
  const ofProvider = extension.models.filter((one) => one.provider === provider)
  if (ofProvider.length === 0)
    return missing(
      `extension ${id} has ${others(
        "provider",
        provider,
        extension.models.map((one) => one.provider),
      )}`,
    )
  const found = ofProvider.find((one) => one.id === model)
  if (found !== undefined) return { kind: "found", model: found }
  const models = ofProvider.map((one) => one.id)
  return missing(`the provider ${provider} of extension ${id} has ${others("model", model, models)}`)
}

function others(what: string, name: string, there: readonly string[]): string {
  return there.length === 0 ? `no ${what}s` : `no ${what} '${name}', only ${[...new Set(there)].join(", ")}`
}

function missing(why: string): FoundModel {
  return { kind: "missing", why }
}
