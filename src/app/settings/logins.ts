// Logging in at providers: stores a key or the tokens of a login for all sessions of the home.
import { printNotice } from "../terminal.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { checkKey, type KeyCheck } from "../../models/logins/check-key.ts"
import type { LoginSurroundings } from "../../models/logins/device-login.ts"
import { flowOf, type LoginFlow } from "../../models/logins/flows.ts"
import { changeLogins, LoginFault, readLogins, type Login } from "../../models/logins/login-store.ts"
import type { Provider } from "../../models/providers/provider.ts"
import { createModelSource } from "../../models/registry.ts"
import { modelsOfHome } from "./model-files.ts"

export interface StoredLogin {
  readonly provider: string
  readonly kind: Login["kind"]
  readonly savedAt: string
  readonly expiresAt: string | undefined
}

const MIN_KEY_LENGTH = 8
const MAX_KEY_LENGTH = 8192

/** Providers that take a key. */
export function loginProviders(context: AppContext): readonly Provider[] {
  return sourceOf(context).providers()
}

export function providerNamed(name: string, context: AppContext): Provider {
  const providers = loginProviders(context)
  const found = providers.find((provider) => provider.name === name)
  if (found !== undefined) return found
  const names = providers.map((provider) => provider.name)
  const nearest = nearestKey(name, names)
  const hint = nearest?.close === true ? ` Did you mean ${nearest.key}?` : ""
  throw usageFault(
    `no provider named "${name}".${hint} Choose one of: ${names.join(", ")}; or add it under "providers" in config.json.`,
  )
}

/** Undefined where a key is pasted. */
export function loginFlow(name: string, { config }: AppContext): LoginFlow | undefined {
  const flow = flowOf(name, config.providers?.[name]?.login)
  if (typeof flow === "string") throw usageFault(flow)
  return flow
}

/** Throws if it cannot be a key. */
export function checkedKeyText(text: string): string {
  const problem = keyProblem(text)
  if (problem !== undefined) throw usageFault(`${problem}. Nothing was stored.`)
  return text.trim()
}

/** Why a text, apart from blanks around it, cannot be a key. */
export function keyProblem(text: string): string | undefined {
  const key = text.trim()
  if (key === "") return "the key is empty"
  if (!/^[\x21-\x7e]+$/.test(key)) return "a key has no spaces or control characters"
  if (key.length >= MIN_KEY_LENGTH && key.length <= MAX_KEY_LENGTH) return undefined
  return `a key has ${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH} characters`
}

/** A key that the provider refuses is not stored. */
export async function storeCheckedKey(
  provider: Provider,
  key: string,
  context: AppContext,
  isChecked: boolean,
): Promise<KeyCheck> {
  const check = isChecked ? await checkKey(provider, key, globalThis.fetch) : skipped
  if (check.verdict === "refused") throw new AppFault(`${provider.name} refuses this key. Nothing was stored.`)
  await storeKey(context.home, provider.name, key)
  return check
}

export async function storeKey(home: string, name: string, key: string): Promise<void> {
  await store(home, name, { kind: "key", value: key, savedAt: now() })
}

const skipped: KeyCheck = { verdict: "unknown", reason: "it was not to be checked" }

export async function loginByFlow(
  name: string,
  flow: LoginFlow,
  surroundings: LoginSurroundings,
  { home }: AppContext,
): Promise<void> {
  await store(home, name, await asAppFault(() => flowLogin(flow, surroundings)))
}

async function flowLogin(flow: LoginFlow, surroundings: LoginSurroundings): Promise<Login> {
  if (flow.kind === "key") {
    const { keyLogin } = await import("../../models/logins/browser-login.ts")
    return { kind: "key", value: await keyLogin(flow, surroundings), savedAt: now() }
  }
  const { tokenUrl, clientId } = flow
  const tokens =
    flow.kind === "device"
      ? await (await import("../../models/logins/device-login.ts")).deviceLogin(flow, surroundings)
      : await (await import("../../models/logins/browser-login.ts")).browserLogin(flow, surroundings)
  return { kind: "oauth", ...tokens, tokenUrl, clientId, savedAt: now() }
}

/** Without the keys and tokens themselves. */
export function storedLogins(home: string): readonly StoredLogin[] {
  return Object.entries(readable(home)).map(([provider, login]) => ({
    provider,
    kind: login.kind,
    savedAt: login.savedAt,
    expiresAt:
      login.kind === "oauth" && login.expiresAt !== undefined ? new Date(login.expiresAt).toISOString() : undefined,
  }))
}

/** Whether there was one. */
export async function removeLogin(home: string, name: string): Promise<boolean> {
  let wasThere = false
  await asAppFault(() =>
    changeLogins(home, (logins) => {
      wasThere = Object.hasOwn(logins, name)
      return wasThere ? Object.fromEntries(Object.entries(logins).filter(([other]) => other !== name)) : undefined
    }),
  )
  return wasThere
}

/** Where the key of a provider comes from now: a login is used only if neither configuration nor environment has a key. */
export function keySource(name: string, context: AppContext): string | undefined {
  const credentials = loginProviders(context).find((provider) => provider.name === name)?.credentials
  return credentials === undefined || credentials.kind === "none" ? undefined : credentials.source
}

export function noticeOtherKey(name: string, context: AppContext): void {
  const source = keySource(name, context)
  if (source !== undefined && !source.includes("turnhouse login"))
    printNotice(`turnhouse: ${source} is set and is used instead of the stored login.`)
}

async function store(home: string, name: string, login: Login): Promise<void> {
  await asAppFault(() => changeLogins(home, (logins) => ({ ...logins, [name]: login })))
}

function readable(home: string) {
  try {
    return readLogins(home)
  } catch (fault) {
    throw fault instanceof LoginFault ? new AppFault(fault.message) : fault
  }
}

async function asAppFault<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (fault) {
    throw fault instanceof LoginFault ? new AppFault(fault.message) : fault
  }
}

function sourceOf({ config, home }: AppContext) {
  return createModelSource({ config, env: process.env, ...modelsOfHome(home) })
}

function now(): string {
  return new Date().toISOString()
}
