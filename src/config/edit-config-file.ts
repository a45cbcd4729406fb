// Changes values of a configuration file and keeps its comments and layout. The file is replaced atomically.
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { applyEdits, modify } from "jsonc-parser"
import { ConfigFault } from "./faults.ts"
import { parseConfigText } from "./parse-config-text.ts"

export interface ConfigChange {
  readonly path: readonly string[]
  readonly value: unknown
}

const layout = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

/** A file that does not exist is created, readable only by the user. */
export async function editConfigFile(path: string, changes: readonly ConfigChange[]): Promise<void> {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "{}\n"
  const parsed = await parseConfigText(before)
  if (parsed.kind !== "value")
    throw new ConfigFault([
      `${path}:${parsed.place.line}:${parsed.place.column}: ${parsed.what}; the file was not changed.`,
    ])
  writeAtomically(path, changes.reduce(withChange, before))
}

function withChange(text: string, { path, value }: ConfigChange): string {
  return applyEdits(text, modify(text, [...path], value, layout))
}

/** A link stays a link: its target is replaced. */
function writeAtomically(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600
  const aside = `${target}.${process.pid}.new`
  try {
    writeFileSync(aside, text, { mode })
    renameSync(aside, target)
  } catch (fault) {
    rmSync(aside, { force: true })
    throw fault
  }
}
