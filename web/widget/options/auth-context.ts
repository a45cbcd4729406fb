// The signature of the site's server for its visitor, from an address of the site. A signature is valid for a minute, so it
// is asked for with every connection.
import { isJson, memberIn, textIn } from "../../../src/contract/json-object.ts"
import type { AuthContext } from "../../../src/clients/ws/index.ts"

export async function fetchAuthContext(address: string): Promise<AuthContext> {
  const response = await fetch(address, { headers: { accept: "application/json" }, cache: "no-store" })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  const value: unknown = await response.json()
  const context = isJson(value) ? readAuthContext(value) : undefined
  if (context === undefined) throw new Error(`${address} must answer with userId, timestamp and signature as JSON`)
  return context
}

export function readAuthContext(value: Parameters<typeof memberIn>[0]): AuthContext | undefined {
  const [userId, signature, timestamp] = [
    textIn(value, "userId"),
    textIn(value, "signature"),
    memberIn(value, "timestamp"),
  ]
  if (userId === undefined || signature === undefined || typeof timestamp !== "number") return undefined
  return { userId, timestamp, signature }
}
