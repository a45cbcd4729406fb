// Brings the settings of Claude Code over: those of the user into the user's configuration, those of a project into its
// `turnhouse.json`. Entries that are there already are not added twice.
import { join } from "node:path"
import { isObject } from "../../contract/json-object.ts"
import { editConfigFile, type ConfigChange } from "../../config/edit-config-file.ts"
import { ConfigFault } from "../../config/faults.ts"
import { parseConfigText } from "../../config/parse-config-text.ts"
import { valueAt } from "../../config/plain.ts"
import { readConfigFile } from "../../config/read-config-file.ts"
import { hookNames } from "../../contract/rules/hook-settings.ts"
import { AppFault } from "../app-fault.ts"
import { translateClaudeSettings, type ImportedSettings } from "./claude-settings.ts"

export interface ImportRequest {
  readonly home: string
  readonly userFolder: string
  readonly cwd: string
  /** Adds what the project allows to the user's configuration, for all folders. */
  readonly takesProjectAllow: boolean
  readonly isTrial: boolean
}

export interface ImportedFile {
  readonly from: string
  readonly to: string
  readonly settings: ImportedSettings
  /** Whether something was new. */
  readonly isChanged: boolean
}

export async function importClaude(request: ImportRequest): Promise<readonly ImportedFile[]> {
  const { home, userFolder, cwd, takesProjectAllow } = request
  const own = join(home, "config.json")
  const project = join(cwd, "turnhouse.json")
  const sources = [
    { from: join(userFolder, ".claude", "settings.json"), to: own },
    { from: join(cwd, ".claude", "settings.json"), to: project },
    { from: join(cwd, ".claude", "settings.local.json"), to: project },
  ]
  const files: ImportedFile[] = []
  for (const { from, to } of sources) {
    const settings = await settingsIn(from)
    if (settings === undefined) continue
    if (to === own) files.push(await importFile(from, to, settings, request))
    else {
      const { allow } = settings
      const skipped = allow.length === 0 || takesProjectAllow ? [] : [projectAllow(allow)]
      files.push(
        await importFile(from, to, { ...settings, allow: [], skipped: [...settings.skipped, ...skipped] }, request),
      )
      if (takesProjectAllow && allow.length > 0) files.push(await importFile(from, own, { ...nothing, allow }, request))
    }
  }
  return files
}

const nothing: ImportedSettings = { allow: [], confirm: [], deny: [], hooks: {}, skipped: [] }

function projectAllow(rules: readonly string[]): string {
  return `permissions.allow (${rules.join(", ")}): a project cannot allow calls; --project-allow adds them to your own configuration`
}

async function settingsIn(path: string): Promise<ImportedSettings | undefined> {
  const value = await valueIn(path)
  return value === undefined ? undefined : translateClaudeSettings(value)
}

/** Undefined if there is no such file. */
async function valueIn(path: string): Promise<unknown> {
  const file = readConfigFile(path)
  if (file.kind === "absent") return undefined
  if (file.kind === "unreadable") throw new AppFault(`${path}: ${file.what}`)
  const parsed = await parseConfigText(file.text)
  if (parsed.kind === "broken")
    throw new AppFault(`${path}:${parsed.place.line}:${parsed.place.column}: ${parsed.what}`)
  return parsed.value
}

async function importFile(
  from: string,
  to: string,
  settings: ImportedSettings,
  { isTrial }: ImportRequest,
): Promise<ImportedFile> {
  const changes = changesTo((await valueIn(to)) ?? {}, settings)
  if (changes.length > 0 && !isTrial) await editConfigFile(to, changes).catch(asAppFault)
  return { from, to, settings, isChanged: changes.length > 0 }
}

function asAppFault(fault: unknown): never {
  throw fault instanceof ConfigFault ? new AppFault(fault.message) : fault
}

function changesTo(config: unknown, { allow, confirm, deny, hooks }: ImportedSettings): ConfigChange[] {
  const lists = [
    ...Object.entries({ allow, confirm, deny }).map(([key, items]) => ({ path: ["tools", key], items })),
    ...hookNames.map((name) => ({ path: ["hooks", name], items: hooks[name] ?? [] })),
  ]
  return lists.flatMap(({ path, items }: { path: string[]; items: readonly unknown[] }) => {
    const before = valueAt(config, path)
    const known = Array.isArray(before) ? before : []
    const added = items.filter((item) => known.every((other) => !isSame(other, item)))
    return added.length === 0 ? [] : [{ path, value: [...known, ...added] }]
  })
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (isObject(a) && JSON.stringify(a) === JSON.stringify(b))
}
