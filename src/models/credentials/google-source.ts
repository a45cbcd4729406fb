// Where the credentials of Google Cloud come from, by the variables and files that Google's own tools use. Reading them is
// apart (google-token.ts): few sessions need it, and all load this file.
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment, GoogleSource } from "../providers/provider.ts"

const METADATA_HOST = "metadata.google.internal"

/** Undefined if nothing says that there are credentials. */
export function googleSource(env: Environment): GoogleSource | undefined {
  const metadataHost = env["GCE_METADATA_HOST"] ?? METADATA_HOST
  const named = env["GOOGLE_APPLICATION_CREDENTIALS"]?.trim()
  if (named !== undefined && named !== "")
    return { kind: "google", file: named, metadataHost, source: "GOOGLE_APPLICATION_CREDENTIALS" }
  const folder = env["CLOUDSDK_CONFIG"] ?? join(env["HOME"] ?? homedir(), ".config", "gcloud")
  const file = join(folder, "application_default_credentials.json")
  if (existsSync(file))
    return { kind: "google", file, metadataHost, source: "'gcloud auth application-default login'", isAmbient: true }
  const isInCloud = env["GCE_METADATA_HOST"] !== undefined || env["K_SERVICE"] !== undefined
  return isInCloud
    ? { kind: "google", metadataHost, source: "the metadata server of Google Cloud", isAmbient: true }
    : undefined
}
