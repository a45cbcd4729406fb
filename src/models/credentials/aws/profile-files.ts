// The sections of AWS's `credentials` and `config` files.
import { readFile } from "node:fs/promises"
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource } from "../../providers/provider.ts"

export type Section = Readonly<Record<string, string>>

export interface ProfileSections {
  readonly profile: Section
  /** Of its single sign-on, if it has one. */
  readonly sso: Section | undefined
}

export async function sectionsOf(name: string, source: AwsSource): Promise<ProfileSections> {
  const { credentialsFile, configFile } = source
  const [credentials, config] = await Promise.all([readSections(credentialsFile), readSections(configFile)])
  const configured = config.get(name === "default" ? name : `profile ${name}`) ?? config.get(`profile ${name}`)
  const stored = credentials.get(name)
  if (configured === undefined && stored === undefined)
    throw new ModelUnavailable(
      `There is no AWS profile ${name} in ${credentialsFile} or ${configFile}. Check ${source.source}.`,
    )
  const profile = { ...configured, ...stored }
  const session = profile["sso_session"]
  const hasSignOn = session !== undefined || profile["sso_start_url"] !== undefined
  return { profile, sso: hasSignOn ? (config.get(`sso-session ${session}`) ?? {}) : undefined }
}

async function readSections(file: string): Promise<ReadonlyMap<string, Section>> {
  const text = await readFile(file, "utf8").catch(() => "") // either file may be missing
  const sections = new Map<string, Record<string, string>>()
  let current: Record<string, string> = {}
  for (const line of text.split("\n")) {
    const trimmed = line.trim()
    if (trimmed.startsWith("[") && trimmed.endsWith("]")) {
      current = {}
      sections.set(trimmed.slice(1, -1).trim().split(/\s+/).join(" "), current)
    }
    const equals = trimmed.indexOf("=")
    const isSetting = equals > 0 && !trimmed.startsWith("#") && !/^\s/.test(line)
    if (isSetting) current[trimmed.slice(0, equals).trim().toLowerCase()] = trimmed.slice(equals + 1).trim()
  }
  return sections
}
