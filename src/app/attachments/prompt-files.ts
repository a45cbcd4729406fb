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

export interface FilePlace {
  readonly home: string
  readonly config: Config
  /** Where relative paths start. */
  readonly cwd: string
  /** A person typed the prompt: files outside the folder are attached too. */
  readonly isTyped: boolean
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
  const found = [...new Set(mentionsIn(text).flatMap((mention) => existing(mention, place.cwd)))]
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
function existing(mention: Mention, cwd: string): readonly string[] {
  const paths = mention.map((spelling) => realPathOf(withUserHome(spelling, process.env), cwd))
  return paths.filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined).slice(0, 1)
}

function readProblem(path: string, place: FilePlace): string | undefined {
  const { cwd, isTyped } = place
  const closed = closedProblem(path, place)
  if (closed !== undefined) return `${path} is not attached: ${closed}`
  const isOutside = displayPathOf(path, realPathOf(cwd, "/")) === path && path !== realPathOf(cwd, "/")
  return isOutside && !isTyped
    ? `${path} is not attached: it lies outside the folder, and there is no terminal`
    : undefined
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
