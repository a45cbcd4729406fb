// The options that all provider packages share.
import type { Fetch, Reach } from "./provider.ts"

export interface CommonSettings {
  baseURL?: string
  apiKey?: string
  headers?: Record<string, string>
  fetch?: Fetch
}

export function common({ provider, fetch }: Reach): CommonSettings {
  const { baseURL, credentials, headers } = provider
  return {
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(credentials.kind === "key" ? { apiKey: credentials.value } : {}),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(fetch === undefined ? {} : { fetch }),
  }
}
