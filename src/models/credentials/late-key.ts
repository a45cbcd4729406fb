// A key that a command or the keychain of the system holds. It is read when a call needs it, kept in memory, and read again
// when a provider refuses it.
import { Cached, type Reading } from "./cached.ts"
import { commandOutput, lineOf } from "./command-output.ts"
import { ModelUnavailable } from "../model-source.ts"
import type { Fetch, LateKeySource } from "../providers/provider.ts"

export type LateKey = Cached<string>
/** Called with every value that was read, before it is used, so that it can be redacted. */
export type OnSecret = (name: string, value: string) => void

export function lateKey({ from, source }: LateKeySource, name: string, onSecret: OnSecret): LateKey {
  const command = "command" in from ? from.command : keychainCommand(from.keychain, source)
  return new Cached<string>(async (): Promise<Reading<string>> => {
    const value = lineOf(await commandOutput(command, source), source)
    onSecret(`providers.${name}.apiKey`, value)
    return { value }
  })
}

function keychainCommand(service: string, source: string, platform = process.platform): readonly string[] {
  if (platform === "darwin") return ["security", "find-generic-password", "-s", service, "-w"]
  if (platform === "linux") return ["secret-tool", "lookup", "service", service]
  throw new ModelUnavailable(`${source}: there is no keychain on ${platform}. Use a command instead.`)
}

/** What the packages get as a key before there is one. It is never sent. */
export const replacedKey = "replaced-in-each-request"

export type KeyHeader = (key: string) => readonly [name: string, value: string]

/** Puts the key into a header of each request. A request that is refused with 401 is repeated once if there is another key. */
export function withLateKey(fetch: Fetch, key: LateKey, keyHeader: KeyHeader): Fetch {
  const send = (input: Parameters<Fetch>[0], init: RequestInit | undefined, value: string) => {
    const given = [...new Headers(init?.headers)].filter(([, content]) => !content.endsWith(replacedKey))
    const headers = new Headers(given)
    headers.set(...keyHeader(value))
    return fetch(input, { ...init, headers })
  }
  return async (input, init) => {
    const value = await key.get()
    const response = await send(input, init, value)
    if (response.status !== 401) return response
    const other = await key.replace(value)
    if (other === value) return response
    await response.body?.cancel()
    return send(input, init, other)
  }
}
