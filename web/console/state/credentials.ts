// How the page proves who uses it: with the cookie of a sign-in, or with the key of a share link. Neither stays in the
// address, where it could be copied or stay in the history.

import { tellOtherTabs } from "./other-tabs.ts"

const KEY = "turnhouse.key"

/** The key of the share link that this tab was opened with; absent where the cookie counts. */
export function sharedKey(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY)
}

/** Removes a code or key from the address, where a place of the console may follow it, and uses it. Returns why that failed. */
export async function takeCredentials(): Promise<string | undefined> {
  const [, name, value = "", place = "/"] = /^#(sign-in|key)=([^/]+)(\/.*)?$/.exec(location.hash) ?? []
  if (name === undefined) return undefined
  history.replaceState(undefined, "", `#${place}`)
  if (name === "key") {
    sessionStorage.setItem(KEY, value)
    return undefined
  }
  forgetKey()
  return signIn(value)
}

/** Exchanges a code of `turnhouse link` or `npm start` for a cookie. */
async function signIn(code: string): Promise<string | undefined> {
  try {
    const headers = { "content-type": "application/json" }
    const response = await fetch("sign-in", { method: "POST", headers, body: JSON.stringify({ code }) })
    if (!response.ok) return await sentenceIn(response)
    tellOtherTabs("signed-in")
    return undefined
  } catch {
    return "The server cannot be reached. Check that `turnhouse serve` runs, and open the address again."
  }
}

/** A tab with the key of a share link only forgets it: the sign-in is of the other tabs. Returns why it failed. */
export async function signOut(): Promise<string | undefined> {
  if (sharedKey() !== undefined) {
    forgetKey()
    return undefined
  }
  try {
    await fetch("sign-out", { method: "POST" })
  } catch {
    return "The server cannot be reached: you are still signed in."
  }
  tellOtherTabs("signed-out")
  return undefined
}

async function sentenceIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const what = typeof body === "object" && body !== null && "what" in body ? body.what : undefined
  return typeof what === "string" ? what : `The server did not accept the sign-in code (HTTP ${response.status}).`
}
