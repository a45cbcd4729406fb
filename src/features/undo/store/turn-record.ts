// What is known about the files of one turn: a small file per turn in the home, written atomically.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { systemCode } from "../../../contract/faults.ts"
import { memberIn, parseJson, textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { modeOf, type FileVersion } from "./file-version.ts"

export interface TurnRecord {
  /** What paths are relative to. */
  readonly folder: string
  /** Of the shadow repository; absent where only single files are kept. */
  readonly gitDir?: string | undefined
  /** Trees before the first call that can change files, and after the newest one. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly headBefore?: string | undefined
  readonly headAfter?: string | undefined
  /** Why there is no snapshot of the folder. */
  readonly problem?: string | undefined
  readonly uncovered: readonly string[]
  /** Where there is no snapshot: files that tools have changed, by path. */
  readonly images: readonly FileImage[]
}

export interface FileImage {
  readonly file: string
  readonly before: FileVersion | undefined
  readonly after: FileVersion | undefined
}

export async function writeRecord(file: string, record: TurnRecord): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.tmp`
  await writeFile(temporary, JSON.stringify(record))
  await rename(temporary, file)
}

export async function readRecord(file: string): Promise<TurnRecord | undefined> {
  try {
    return recordOf(parseJson(await readFile(file, "utf8")))
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return undefined
    throw fault
  }
}

function recordOf(value: JsonValue): TurnRecord | undefined {
  const folder = textIn(value, "folder")
  if (folder === undefined) return undefined
  const [gitDir, before, after] = [textIn(value, "gitDir"), textIn(value, "before"), textIn(value, "after")]
  const [headBefore, headAfter] = [textIn(value, "headBefore"), textIn(value, "headAfter")]
  const uncovered = listIn(value, "uncovered").filter((one) => typeof one === "string")
  const images = listIn(value, "images").flatMap((image) => imageOf(image) ?? [])
  const problem = textIn(value, "problem")
  return { folder, gitDir, before, after, headBefore, headAfter, problem, uncovered, images }
}

function listIn(value: JsonValue, name: string): readonly JsonValue[] {
  const list = memberIn(value, name)
  return Array.isArray(list) ? list : []
}

function imageOf(value: JsonValue): FileImage | undefined {
  const file = textIn(value, "file")
  if (file === undefined) return undefined
  return { file, before: versionIn(memberIn(value, "before")), after: versionIn(memberIn(value, "after")) }
}

function versionIn(value: JsonValue | undefined): FileVersion | undefined {
  const [mode, hash] = [modeOf(textIn(value, "mode") ?? ""), textIn(value, "hash")]
  return mode === undefined || hash === undefined ? undefined : { mode, hash }
}
