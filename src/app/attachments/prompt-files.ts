// Files that a user attaches to a prompt: with `@path` in its text, or as images by name. Bounds are those of all attached
// files; what file tools may not read is not attached.
import { readdir } from "node:fs/promises"
import { statSync } from "node:fs"
import { withUserHome } from "../../config/home.ts"
import type { Config } from "../../contract/config.ts"
import type { Attachment } from "../../contract/values.ts"
import { readMatcher } from "../../features/approvals/effects/tool-rules.ts"
import { stageFiles } from "../../host/queries/stage-files.ts"
import { displayPathOf, realPathOf } from "../../tools/files/paths.ts"
import { usageFault } from "../app-fault.ts"
import { closedFolders, guardClosed } from "../settings/tool-set.ts"
import { mentionsIn, type Mention } from "./mentions.ts"

/** Further ones stay text. */
const MAX_MENTIONS = 200

export interface FilePlace {
  readonly home: string
  readonly config: Config
  /** Where relative paths start. */
  readonly cwd: string
  /** A person typed the prompt: files outside the folder are attached too. */
  readonly isTyped: boolean
  /** Files outside the folder are not even looked for. */
  readonly ignoresOutside?: boolean
}

export interface PromptFiles {
  readonly attachments: readonly Attachment[]
  /** For the model, one line each: files that are too large or of another kind. */
  readonly notes: readonly string[]
  /** For the user: mentions that were not attached. */
  readonly problems: readonly string[]
}

/** The files that the text mentions. `@` that names no file stays as it is. */
export async function mentionedFiles(text: string, place: FilePlace): Promise<PromptFiles> {
  const mentions = mentionsIn(text).slice(0, MAX_MENTIONS)
  const found = [...new Set(mentions.flatMap((mention) => existing(mention, place)))]
  const refusals = found.flatMap((path) => readProblem(path, place) ?? [])
  const readable = found.filter((path) => readProblem(path, place) === undefined)
  const folders = readable.filter(isFolder)
  const files = readable.filter((path) => !isFolder(path))
  const staged = await stageFiles(files, place.cwd, (path) => nameOf(path, place.cwd))
  const listings = await Promise.all(folders.map((path) => listing(path, place.cwd)))
  return {
    attachments: [...staged.attachments, ...listings],
    notes: staged.notes,
    problems: [...refusals, ...staged.problems.map((problem) => `${problem}; it is not attached`)],
  }
}

/** Image files by path. Undefined if one of them is something else; what may not be read is a problem. */
export async function imagesAt(paths: readonly string[], place: FilePlace): Promise<PromptFiles | undefined> {
  const found = paths.flatMap((path) => existing([path], place))
  if (found.length < paths.length) return undefined
  const problems = found.flatMap((path) => readProblem(path, place) ?? [])
  if (problems.length > 0) return { attachments: [], notes: [], problems }
  const staged = await stageFiles(found, place.cwd, (path) => nameOf(path, place.cwd))
  return staged.attachments.every(({ mediaType }) => mediaType.startsWith("image/")) ? staged : undefined
}

/** Throws if one is not an image that models take. */
export async function namedImages(paths: readonly string[], place: FilePlace): Promise<readonly Attachment[]> {
  const real = paths.map((path) => imagePath(path, place))
  const { attachments, notes, problems } = await stageFiles(real, place.cwd, (path) => nameOf(path, place.cwd))
  const [problem] = [...problems, ...notes.map((note) => note.replaceAll(/^\[attached file |\]$/g, ""))]
  if (problem !== undefined) throw usageFault(`--image: ${problem}.`)
  const other = attachments.find(({ mediaType }) => !mediaType.startsWith("image/"))
  if (other !== undefined)
    throw usageFault(`--image: ${other.name} is not an image (PNG, JPEG, GIF or WebP). Attach it with @${other.name}.`)
  return attachments
}

function imagePath(path: string, place: FilePlace): string {
  if (path.trim() === "") throw usageFault("--image needs a file")
  const real = realPathOf(withUserHome(path, process.env), place.cwd)
  const problem = closedProblem(real, place)
  if (problem !== undefined) throw usageFault(`--image: ${path}: ${problem}`)
  return real
}

/** The real path, if one of the spellings exists. */
function existing(mention: Mention, { cwd, ignoresOutside = false }: FilePlace): readonly string[] {
  const paths = mention.map((spelling) => realPathOf(withUserHome(spelling, process.env), cwd))
  const inside = ignoresOutside ? paths.filter((path) => !isOutside(path, cwd)) : paths
  return inside.filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined).slice(0, 1)
}

function readProblem(path: string, place: FilePlace): string | undefined {
  const { cwd, isTyped } = place
  const closed = closedProblem(path, place)
  if (closed !== undefined) return `${path} is not attached: ${closed}`
  return isOutside(path, cwd) && !isTyped
    ? `${path} is not attached: it lies outside the folder, and there is no terminal`
    : undefined
}

function isOutside(path: string, cwd: string): boolean {
  return displayPathOf(path, realPathOf(cwd, "/")) === path && path !== realPathOf(cwd, "/")
}

/** What `read` may not read is not attached either. */
function closedProblem(path: string, { home, config, cwd }: FilePlace): string | undefined {
  const closed = guardClosed(closedFolders(home, config), path)
  if (closed !== undefined) return closed
  return readMatcher(config.tools?.deny ?? [], cwd)(path)
    ? "the configuration denies reading it (tools.deny)."
    : undefined
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function nameOf(path: string, cwd: string): string {
  return displayPathOf(path, realPathOf(cwd, "/"))
}

const MAX_ENTRIES = 200

/** The names in a folder; those of folders end with a slash. */
async function listing(folder: string, cwd: string): Promise<Attachment> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted()
  const hidden = names.length - MAX_ENTRIES
  const text = [...names.slice(0, MAX_ENTRIES), ...(hidden > 0 ? [`[… ${hidden} more entries]`] : [])].join("\n")
  const data = Buffer.from(text === "" ? "[empty folder]" : text).toString("base64")
  return { name: `${nameOf(folder, cwd)}/`, mediaType: "text/plain", data }
}
