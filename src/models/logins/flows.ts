// How a user can log in at a provider instead of pasting a key, as data. Only flows that a vendor documents for programs of
// others are here. Vendors that require a registered program are used with the user's own registration: its client id is
// in the configuration (`providers.NAME.login.clientId`). No client id of another product is used.
import type { ProviderSettings } from "../providers/provider.ts"

export type LoginSettings = NonNullable<ProviderSettings["login"]>

export type LoginFlow =
  /** The browser returns a code that is exchanged for a key. OpenRouter's own form of PKCE. */
  | { readonly kind: "key"; readonly authorizeUrl: string; readonly exchangeUrl: string }
  /** OAuth 2.0 with PKCE and a redirect to this machine. */
  | {
      readonly kind: "browser"
      readonly authorizeUrl: string
      readonly tokenUrl: string
      readonly clientId: string
      readonly scope?: string
    }
  /** OAuth 2.0 device authorization: a code is typed into a page on any device. */
  | {
      readonly kind: "device"
      readonly deviceUrl: string
      readonly tokenUrl: string
      readonly clientId: string
      readonly scope?: string
    }

const keyFlows: Readonly<Record<string, { readonly authorizeUrl: string; readonly exchangeUrl: string }>> = {
  openrouter: {
    authorizeUrl: "https://openrouter.ai/auth",
    exchangeUrl: "https://openrouter.ai/api/v1/auth/keys",
  },
}

/** Everything but the client id, which the vendor gives for a registered program. */
const registeredFlows: Readonly<Record<string, LoginSettings>> = {
  huggingface: {
    deviceUrl: "https://huggingface.co/oauth/device",
    tokenUrl: "https://huggingface.co/oauth/token",
    scope: "inference-api",
  },
  "github-models": {
    deviceUrl: "https://github.com/login/device/code",
    tokenUrl: "https://github.com/login/oauth/access_token",
  },
}

/** Undefined if a key is pasted. A sentence if the flow lacks something. */
export function flowOf(name: string, settings: LoginSettings | undefined): LoginFlow | string | undefined {
  const keyFlow = Object.hasOwn(keyFlows, name) ? keyFlows[name] : undefined
  if (settings === undefined) return keyFlow && { kind: "key", ...keyFlow }
  const known = Object.hasOwn(registeredFlows, name) ? registeredFlows[name] : undefined
  const { deviceUrl, authorizeUrl, tokenUrl, clientId, scope } = { ...known, ...settings }
  if (tokenUrl === undefined || clientId === undefined)
    return missing(name, tokenUrl === undefined ? "tokenUrl" : "clientId")
  const common = { tokenUrl, clientId, ...(scope === undefined ? {} : { scope }) }
  if (authorizeUrl !== undefined) return { kind: "browser", authorizeUrl, ...common }
  return deviceUrl === undefined ? missing(name, "deviceUrl") : { kind: "device", deviceUrl, ...common }
}

function missing(name: string, key: string): string {
  const or = key === "deviceUrl" ? ` or providers.${name}.login.authorizeUrl` : ""
  return `providers.${name}.login.${key}${or} is missing in the configuration.`
}
