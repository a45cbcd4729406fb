// The keys of a home that is a node of a cluster: derived from TURNHOUSE_CLUSTER_SECRET, so that all nodes have the same
// ones.
import { hkdfSync } from "node:crypto"
import { KeyFileFault } from "./key-file.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export interface ClusterKeys {
  readonly homeKey: Uint8Array
  readonly consoleKey: string
}

export const clusterSecretVariable = "TURNHOUSE_CLUSTER_SECRET"
const MIN_SECRET_LENGTH = 32
const keyBytes = 32

/** Undefined if the variable is not set. Throws `KeyFileFault` if its value is too short. */
export function clusterKeys(env: Environment): ClusterKeys | undefined {
  const secret = env[clusterSecretVariable]
  if (secret === undefined || secret === "") return undefined
  if (secret.length >= MIN_SECRET_LENGTH)
    return {
      homeKey: derived(secret, "turnhouse cluster secret.key"),
      consoleKey: Buffer.from(derived(secret, "turnhouse cluster console.key")).toString("base64url"),
    }
  throw new KeyFileFault(
    `${clusterSecretVariable} has ${secret.length} characters, and needs at least ${MIN_SECRET_LENGTH}. Set it to a random value, for example that of 'openssl rand -base64 32'.`,
  )
}

function derived(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, Buffer.alloc(0), purpose, keyBytes))
}
