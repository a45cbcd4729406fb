// The redactor of a home, for all that is stored, logged or exported. Knows the secrets of the environment and the
// configuration, and Turnhouse's own keys and tokens.
import type { Config } from "../../contract/config.ts"
import { storedServerSecrets } from "../../mcp/oauth/login-file.ts"
import { LoginFault, readLogins } from "../../models/logins/login-store.ts"
import type { Secret } from "../../secrets/forms.ts"
import { secretsOf } from "../../secrets/find-secrets.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { ownSecrets } from "../../secrets/own-secrets.ts"
import { createRedactor, LateSecrets, type Redactor } from "../../secrets/redactor.ts"
import { readConsoleKey } from "../../secrets/console-key.ts"
import { KeyFileFault } from "../../secrets/key-file.ts"
import { AppFault } from "../app-fault.ts"

/** Creates missing keys: a key that another process creates later would not be known here. */
export function openRedactor(home: string, config: Config, key: Uint8Array = homeKey(home)): Redactor {
  const own = ownSecrets({ homeKey: key, consoleKey: consoleKey(home) })
  return createRedactor({
    secrets: [...secretsOf({ env: process.env, config }), ...storedSecrets(home)],
    own,
    late,
    key,
  })
}

const late = new LateSecrets()

/** Every redactor of this process knows it from now on. */
export function learnSecret(name: string, value: string): void {
  late.learn({ name, value })
}

/** Keys and tokens that `turnhouse login` and `turnhouse mcp login` stored. */
export function storedSecrets(home: string): readonly Secret[] {
  return [...loginSecrets(home), ...storedServerSecrets(home).map((value) => ({ name: "mcp.login", value }))]
}

/** A damaged file has none: no model can use it either. */
function loginSecrets(home: string): readonly Secret[] {
  try {
    return Object.entries(readLogins(home)).flatMap(([name, login]) => {
      const values =
        login.kind === "key" ? [login.value] : [login.access, ...(login.refresh === undefined ? [] : [login.refresh])]
      return values.map((value) => ({ name: `login.${name}`, value }))
    })
  } catch (fault) {
    if (fault instanceof LoginFault) return []
    throw fault
  }
}

/** Created when it is first needed. */
export function consoleKey(home: string): string {
  try {
    return readConsoleKey(home)
  } catch (fault) {
    if (fault instanceof KeyFileFault) throw new AppFault(fault.message)
    throw fault
  }
}
