// The redactor of a home, for all that is stored, logged or exported. Knows the secrets of the environment and the
// configuration, and Turnhouse's own keys and tokens.
import type { Config } from "../../contract/config.ts"
import { secretsOf } from "../../secrets/find-secrets.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { ownSecrets } from "../../secrets/own-secrets.ts"
import { createRedactor, type Redactor } from "../../secrets/redactor.ts"
import { consoleKey } from "./console-key.ts"

/** Creates missing keys: a key that another process creates later would not be known here. */
export function openRedactor(home: string, config: Config, key: Uint8Array = homeKey(home)): Redactor {
  const own = ownSecrets({ homeKey: key, consoleKey: consoleKey(home) })
  return createRedactor({ secrets: secretsOf({ env: process.env, config }), own, key })
}
