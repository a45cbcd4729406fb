// The settings of this process with the files that they come from, as the owner may see them: values that are or may be
// secret are not shown.
import { settingSources, type SettingSource } from "../../config/setting-sources.ts"
import { trustOf } from "../../config/trust/trust.ts"
import type { SettingLine } from "../../contract/views/host.ts"
import { isSecretName } from "../../secrets/counts-as-secret.ts"
import type { Scrubber } from "../../runner/session-context.ts"
import type { ConfigPlace } from "./folder-config.ts"

const HIDDEN = "(set, not shown)"
const MAX_VALUE_LENGTH = 2000

export async function listSettings(place: ConfigPlace, scrubber: Scrubber): Promise<readonly SettingLine[]> {
  const trust = await trustOf(place.home, place.cwd)
  const found = await settingSources({ env: process.env, trust, ...place })
  return found.map((source) => ({ key: source.key, value: shownValue(source, scrubber), files: [...source.files] }))
}

function shownValue({ path, value }: SettingSource, scrubber: Scrubber): string {
  if (isSecretName(path.at(-1) ?? "")) return HIDDEN
  const text = scrubber.text(JSON.stringify(value))
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}
