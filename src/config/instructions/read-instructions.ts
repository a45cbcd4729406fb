// Reads the instruction files of a session with their imports, general ones first: the user's own, then those of the
// folders from the repository's root down to the working folder. A file of a project reaches nothing outside its
// repository but Markdown files in the user's instruction folders. Each file is read once, however it is named.
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import type { InstructionText, SessionInstructions } from "../../contract/views/instructions.ts"
import { withUserHome, type Environment } from "../home.ts"
import { realPathOf } from "../trust/project-files.ts"
import { instructionFilesIn, type InstructionFolders } from "./folders.ts"
import { importsIn } from "./imports.ts"
import { readInstructionFile, type ReadInstruction } from "./read-file.ts"

/** Characters of one file, and of all files of a session. More are cut with a notice. */
export const MAX_FILE_CHARACTERS = 32_768
export const MAX_TOTAL_CHARACTERS = 65_536
/** Files that one session reads, and how far an import may be from the file that is read for its own name. */
const MAX_FILES = 50
const MAX_IMPORT_DEPTH = 5

export interface Instructions extends SessionInstructions {
  /** Paths on which the result depends, those that do not exist included. */
  readonly paths: readonly string[]
}

export interface InstructionPlaces {
  readonly home: string
  readonly env: Environment
  readonly folders: InstructionFolders
  readonly trusted: boolean
}

export function readInstructions(places: InstructionPlaces): Instructions {
  const reading = new Reading(places)
  for (const path of userFiles(places)) reading.add({ path, shown: shownUserPath(path, places), depth: 0, isOwn: true })
  const { root } = places.folders
  const found = instructionFilesIn(places.folders)
  if (!places.trusted) return reading.result(found)
  for (const name of found) reading.add({ path: join(root, name), shown: name, depth: 0, isOwn: false })
  return reading.result([])
}

function userFiles({ home, env }: InstructionPlaces): readonly string[] {
  return [join(home, "AGENTS.md"), withUserHome("~/.claude/CLAUDE.md", env)]
}

interface Wanted {
  readonly path: string
  readonly shown: string
  readonly depth: number
  /** Of the user, not of a project. */
  readonly isOwn: boolean
  readonly importedBy?: string
}

class Reading {
  readonly #places: InstructionPlaces
  readonly #files: InstructionText[] = []
  readonly #notices: string[] = []
  readonly #paths = new Set<string>()
  readonly #seen = new Set<string>()
  #remaining = MAX_TOTAL_CHARACTERS

  constructor(places: InstructionPlaces) {
    this.#places = places
  }

  result(unread: readonly string[]): Instructions {
    const { root } = this.#places.folders
    const distrust = `${root}: ${unread.join(", ")} not read: the folder is not trusted. Review, then run 'turnhouse trust ${root}'.`
    const notices = unread.length === 0 ? this.#notices : [...this.#notices, distrust]
    return { files: this.#files, unread, notices, paths: [...this.#paths] }
  }

  /** Whether there is such a file; whether it is used is another matter. */
  add(wanted: Wanted): boolean {
    this.#paths.add(wanted.path)
    const found = readInstructionFile(wanted.path, MAX_FILE_CHARACTERS, (real) => this.#refusal(wanted, real))
    if (found.kind === "text" && !this.#seen.has(found.real)) this.#take(wanted, found)
    if (found.kind === "refused") this.#notices.push(`${nameOf(wanted)} is not read: ${found.why}.`)
    return found.kind === "text" || found.kind === "refused"
  }

  #refusal({ isOwn, importedBy }: Wanted, real: string): string | undefined {
    const { home, env, folders } = this.#places
    if (isOwn) return undefined
    if (isInside(real, folders.root))
      return isInside(real, join(folders.root, ".git")) ? "it is in the repository's .git folder" : undefined
    const ownFolders = [home, withUserHome("~/.claude", env)].map(realPathOf)
    const isAllowed = real.endsWith(".md") && ownFolders.some((folder) => isInside(real, folder))
    return importedBy !== undefined && isAllowed ? undefined : "it is outside the repository"
  }

  #take(wanted: Wanted, { real, text: whole, cutFromBytes }: Extract<ReadInstruction, { kind: "text" }>): void {
    this.#seen.add(real)
    if (this.#files.length >= MAX_FILES || this.#remaining === 0) {
      const limit = this.#remaining === 0 ? `${MAX_TOTAL_CHARACTERS} characters` : `${MAX_FILES} files`
      this.#notices.push(`${nameOf(wanted)} is not read: there are already ${limit} of instructions.`)
      return
    }
    const text = whole.slice(0, this.#remaining).toWellFormed()
    const cut = cutFromBytes ?? (text.length < whole.length ? Buffer.byteLength(whole) : undefined)
    if (!this.#isRepeated(text)) this.#push(wanted, text, cut)
    for (const spellings of importsIn(text)) this.#import(wanted, spellings)
  }

  /** It says the same as another file, or only imports files, which follow. */
  #isRepeated(text: string): boolean {
    const content = text.trim()
    const lines = content.split("\n")
    return (
      lines.every((line) => /^(@\S+)?$/.test(line.trim())) || this.#files.some((file) => file.text.trim() === content)
    )
  }

  #push(wanted: Wanted, text: string, cutFromBytes: number | undefined): void {
    const { shown: path, importedBy } = wanted
    this.#remaining -= text.length
    this.#files.push({
      path,
      characters: text.length,
      ...(importedBy === undefined ? {} : { importedBy }),
      ...(cutFromBytes === undefined ? {} : { cutFromBytes }),
      text,
    })
    if (cutFromBytes !== undefined)
      this.#notices.push(`${nameOf(wanted)} is cut after ${text.length} characters; it has ${cutFromBytes} bytes.`)
  }

  /** A path that names nothing is probably no import: people write @names too. */
  #import({ path: from, shown, depth, isOwn }: Wanted, spellings: readonly string[]): void {
    if (depth >= MAX_IMPORT_DEPTH) return this.#noteDepth(shown)
    for (const spelling of spellings) {
      const path = resolve(dirname(from), withUserHome(spelling, this.#places.env))
      const found = { path, shown: this.#shownPath(path), depth: depth + 1, isOwn, importedBy: shown }
      if (this.add(found)) return
    }
  }

  #noteDepth(shown: string): void {
    const notice = `${shown}: its imports are not read: they are more than ${MAX_IMPORT_DEPTH} files deep.`
    if (!this.#notices.includes(notice)) this.#notices.push(notice)
  }

  #shownPath(path: string): string {
    const { root } = this.#places.folders
    return isInside(path, root) ? relative(root, path) : shownUserPath(path, this.#places)
  }
}

function nameOf({ shown, importedBy }: Wanted): string {
  return importedBy === undefined ? shown : `${shown}, imported by ${importedBy},`
}

function shownUserPath(path: string, { env }: Pick<InstructionPlaces, "env">): string {
  const userHome = withUserHome("~", env)
  return isInside(path, userHome) ? `~/${relative(userHome, path)}` : path
}

function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside)
}
