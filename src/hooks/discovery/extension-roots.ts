// Folders that are searched for extensions, in order: a later root replaces a plugin of the same name. Folders of a
// project are searched only if the project is trusted.
import { join } from "node:path"

export interface RootsRequest {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly trusted: boolean
  /** From the configuration: plugin folders or folders of plugins. */
  readonly paths: readonly string[]
}

export function extensionRoots({ env, home, cwd, trusted, paths }: RootsRequest): readonly string[] {
  const own = [join(synapsFolder(env), "plugins"), join(home, "plugins"), ...paths]
  if (!trusted || isOn(env["SYNAPS_DISABLE_PROJECT_PLUGINS"])) return own
  return [...own, join(cwd, ".synaps", "plugins"), join(cwd, ".turnhouse", "plugins")]
}

/** Base folder of synaps, where its plugins expect their files. */
export function synapsFolder(env: RootsRequest["env"]): string {
  return env["SYNAPS_BASE_DIR"] || join(env["HOME"] || env["USERPROFILE"] || ".", ".synaps-cli")
}

type Value = string | undefined

export function isOn(value: Value): boolean {
  return ["1", "true", "yes", "on"].includes(value?.trim().toLowerCase() ?? "")
}

export function isOff(value: Value): boolean {
  return ["0", "false", "no", "off"].includes(value?.trim().toLowerCase() ?? "")
}
