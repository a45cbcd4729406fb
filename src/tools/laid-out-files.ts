// Files of a prompt, laid out for the program of one call: a list in a file of its own, which only this user can read
// and which is gone when the call is over. They can be too large for an environment, and stdin is for the input alone.
import { rmSync } from "node:fs"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Attachment } from "../contract/values.ts"

export interface LaidOutFiles {
  readonly env: Readonly<Record<string, string>>
  readonly remove: () => void
}

export async function layOut(files: readonly Attachment[]): Promise<LaidOutFiles> {
  if (files.length === 0) return { env: {}, remove: () => {} }
  const folder = await mkdtemp(join(tmpdir(), "turnhouse-files-"))
  const path = join(folder, "files.json")
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await writeFile(path, JSON.stringify(files), { mode: 0o600 })
    return { env: { TURNHOUSE_FILES: path }, remove }
  } catch (fault) {
    remove()
    throw fault
  }
}
