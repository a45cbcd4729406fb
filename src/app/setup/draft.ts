// What setup is about to write: a provider and what it needs. Nothing is stored before a model has been chosen.
import type { Logins } from "../../models/logins/login-store.ts"
import { localServers, vendors } from "../../models/providers/builtin.ts"
import type { Provider, ProviderSettings } from "../../models/providers/provider.ts"
import { findProvider, providerNames, type ProviderSources } from "../../models/providers/settings.ts"
import type { AppContext } from "../context.ts"
import { loginsOf } from "../settings/model-files.ts"

export interface SetupDraft {
  readonly provider: string
  /** A key that is not stored yet. */
  readonly key?: string
  /** Address of a server that is not configured yet. */
  readonly address?: string
}

/** The provider of a server whose address the user gives. */
export const ownServer = "openai-compatible"

/** Undefined for a name that is neither built in nor configured. */
export function draftProvider(context: AppContext, draft: SetupDraft): Provider | undefined {
  return findProvider(draft.provider, draftSources(context, draft))
}

export function knownProviders(context: AppContext): readonly Provider[] {
  const sources = sourcesOf(context)
  return providerNames(sources).flatMap((name) => findProvider(name, sources) ?? [])
}

/** The model of a provider that is used if none is named. */
export function defaultModelOf({ hosted, type }: Provider): string | undefined {
  return hosted === undefined ? vendors[type].defaultModel : hosted.defaultModel
}

/** The settings that the draft adds to the configuration. */
export function draftSettings({ address }: SetupDraft): ProviderSettings | undefined {
  return address === undefined ? undefined : { type: "openai-compatible", baseURL: address }
}

function draftSources(context: AppContext, draft: SetupDraft): ProviderSources {
  const { configured, logins, ...sources } = sourcesOf(context)
  const settings = draftSettings(draft)
  const added: Logins =
    draft.key === undefined ? {} : { [draft.provider]: { kind: "key", value: draft.key, savedAt: "" } }
  return {
    ...sources,
    configured: settings === undefined ? configured : { ...configured, [draft.provider]: settings },
    logins: { ...logins, ...added },
  }
}

function sourcesOf({ config, home }: AppContext): ProviderSources & { readonly logins: Logins } {
  return { configured: config.providers ?? {}, env: process.env, localServers, logins: loginsOf(home).stored() }
}

/** A key is all that is missing. Vertex takes credentials of Google Cloud, which are no text to paste. */
export function needsKey({ type, problem, credentials, baseURL }: Provider): boolean {
  return problem !== undefined && credentials.kind === "none" && baseURL !== undefined && type !== "vertex"
}

/** The key in use is what `turnhouse login` stored, so that a new one takes its place. */
export function usesStoredLogin({ credentials }: Provider): boolean {
  return credentials.kind === "key" && credentials.source.includes("turnhouse login")
}
