// What `turnhouse models --refresh` has fetched, in a folder of the home: the newer catalogue and one list per provider.
// A file that cannot be used is reported once by its reader and ignored: the bundled data still works.
import { randomBytes } from "node:crypto"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { tryParseJson } from "../../contract/json-object.ts"
import { readCatalogue, type CatalogueFile } from "./catalogue-file.ts"

/** Bytes of a file in the folder, and of an answer from the network. */
export const MAX_CATALOGUE_BYTES = 16 * 1024 * 1024

export type Stored = { readonly file: CatalogueFile } | { readonly problem: string } | undefined

/** Undefined if there is none. */
export async function readStored(folder: string, name: string): Promise<Stored> {
  const path = join(folder, name)
  const text = await readBounded(path)
  if (text === undefined) return undefined
  const file = text === "unreadable" ? undefined : readCatalogue(tryParseJson(text.text))
  if (file !== undefined) return { file }
  return { problem: `${path} is not a model catalogue and is ignored. Run 'turnhouse models --refresh', or remove it.` }
}

/** For its owner only: it shows which providers are used. Complete or not at all. */
export async function writeStored(folder: string, name: string, file: CatalogueFile): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const aside = join(folder, `${name}.${randomBytes(6).toString("hex")}`)
  const handle = await open(aside, "wx", 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(file)}\n`)
    await handle.sync()
    await rename(aside, join(folder, name))
  } catch (fault) {
    await rm(aside, { force: true })
    throw fault
  } finally {
    await handle.close()
  }
}

async function readBounded(path: string): Promise<{ readonly text: string } | "unreadable" | undefined> {
  try {
    const { size } = await stat(path)
    return size > MAX_CATALOGUE_BYTES ? "unreadable" : { text: await readFile(path, "utf8") }
  } catch (fault) {
    return fault instanceof Error && "code" in fault && fault.code === "ENOENT" ? undefined : "unreadable"
  }
}
