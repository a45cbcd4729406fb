// Decides whether a file of src/ may import a module. Pure, so that its test needs no linter.
import { posix } from "node:path"
import { folders, isImpureFile, pureModules, purePackages, type Folder } from "./layout.ts"

export interface SourceFile {
  /** Below src/, with forward slashes. */
  readonly path: string
  readonly folder: string
  /** Undefined if the folder is not listed. */
  readonly rules: Folder | undefined
}

/** Undefined outside of src/ and for files directly in it. */
export function folderOf(filename: string): SourceFile | undefined {
  const at = filename.lastIndexOf("/src/")
  if (at < 0) return undefined
  const path = filename.slice(at + "/src/".length)
  const folder = path.split("/")[0] ?? ""
  if (folder === path) return undefined
  return { path, folder, rules: folders[folder] }
}

/** Why the import is not allowed; undefined if it is. */
export function importFault(file: SourceFile, source: string, names?: readonly string[]): string | undefined {
  if (file.rules === undefined) return undefined
  if (!source.startsWith(".")) return isPure(file) ? impureModule(file, source, names) : undefined
  const target = posix.join(posix.dirname(file.path), source)
  if (target.startsWith("../") || mayImport(file, file.rules, target)) return undefined
  return `src/${file.path} may not import src/${target} (lint/layout.ts).`
}

function isPure({ path, rules }: SourceFile): boolean {
  return rules?.pure !== undefined && !isImpureFile(path)
}

function mayImport(file: SourceFile, rules: Folder, target: string): boolean {
  if (isPure(file) && isImpureFile(target)) return false
  if (rules.shared !== undefined && isOtherSubfolder(file, rules.shared, target)) return false
  const impure = isImpureFile(file.path) ? (rules.impureImports ?? []) : []
  return [file.folder, ...rules.imports, ...impure].some((allowed) => covers(allowed, target))
}

function isOtherSubfolder({ path, folder }: SourceFile, shared: readonly string[], target: string): boolean {
  const own = path.split("/")[1] ?? ""
  return covers(folder, target) && ![own, ...shared].some((name) => covers(`${folder}/${name}`, target))
}

function covers(allowed: string | RegExp, target: string): boolean {
  if (allowed instanceof RegExp) return allowed.test(target)
  return allowed === "" || target === allowed || target.startsWith(`${allowed}/`)
}

function impureModule(file: SourceFile, source: string, names: readonly string[] | undefined): string | undefined {
  if (purePackages.includes(source)) return undefined
  const allowed = file.rules?.pure === "functions" ? pureModules[source] : undefined
  if (allowed !== undefined && names?.every((name) => allowed.includes(name)) === true) return undefined
  return `src/${file.path} is pure and may not import ${source} (lint/layout.ts).`
}
