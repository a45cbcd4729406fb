// Skills of a session: folders with a SKILL.md in several places. The first place that has a skill wins. Names are checked
// before they become part of a path.
import { opendir, realpath, stat } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { describeError } from "../faults.ts"
import { pathsIn, readSmallText } from "../folder-files.ts"
import { callNames, fullName, withPluginFolder, type FilePlace, type NamedItem } from "../plugin-place.ts"
import { parseSkill, type SkillText } from "./skill-file.ts"

export interface SkillPlace extends FilePlace {
  /** Origin of the skills, for people. */
  readonly source: string
}

export interface SkillListing extends Pick<SkillText, "description" | "isOffered"> {
  readonly name: string
  readonly source: string
  /** The id of its plugin. */
  readonly plugin: string | undefined
  /** With the plugin's id, where that is not its name. */
  readonly otherName?: string
  /** Why it cannot be used. */
  readonly problem?: string
}

export type SkillFileText =
  | { readonly kind: "text"; readonly text: string; readonly folder: string; readonly files: readonly string[] }
  | { readonly kind: "no"; readonly reason: string }

const NAME_PATTERN = /^[A-Za-z0-9_-]{1,128}$/
const skillFile = "SKILL.md"
/** Skills of one place, and files of one skill that are listed. */
const MAX_SKILLS = 500
const MAX_FILES = 100
const MAX_BYTES = 256 * 1024

type ReadSkill =
  | { readonly kind: "skill"; readonly skill: SkillText }
  | { readonly kind: "unfit"; readonly why: string }

interface Known {
  readonly mark: string
  readonly skill: SkillText
}

interface FoundSkill extends NamedItem {
  readonly place: SkillPlace
  readonly read: ReadSkill
}

export class SkillFiles {
  readonly #places: readonly SkillPlace[]
  /** Parsed files by path. */
  readonly #known = new Map<string, Known>()

  constructor(places: readonly SkillPlace[]) {
    this.#places = places
  }

  /** In order of their names. */
  async list(): Promise<readonly SkillListing[]> {
    const { shown } = callNames(await this.#all())
    const listed = [...shown].map(([name, found]) => listing(name, found))
    return listed.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  async #all(): Promise<readonly FoundSkill[]> {
    const all: FoundSkill[] = []
    const seen = new Set<string>()
    for (const place of this.#places) {
      const plugin = place.plugin?.id
      const isNew = (name: string) => NAME_PATTERN.test(name) && !seen.has(fullName({ name, plugin }))
      const names = (await namesIn(place)).filter(isNew)
      if (names.length === 0 || !(await place.isOpen())) continue
      for (const name of names.slice(0, MAX_SKILLS)) {
        const read = await this.#skillIn(place, name)
        if (read === undefined) continue
        seen.add(fullName({ name, plugin }))
        all.push({ name, plugin, place, read })
      }
    }
    return all
  }

  /** Its text without front matter; undefined for an unknown skill. */
  async read(name: string): Promise<string | undefined> {
    const found = await this.#find(name)
    return found?.read.kind === "skill" ? found.read.skill.body : undefined
  }

  /** A file of a skill; without a name the SKILL.md, with the list of the other files. */
  async open(name: string, file?: string): Promise<SkillFileText> {
    const found = await this.#find(name)
    if (found === undefined) return { kind: "no", reason: await this.#unknown(name) }
    const { folder, read } = found
    if (read.kind === "unfit") return { kind: "no", reason: `${join(folder, skillFile)} cannot be read: ${read.why}.` }
    if (file === undefined || file === skillFile)
      return { kind: "text", text: read.skill.body, folder, files: await filesIn(folder) }
    return readBeside(folder, file)
  }

  async #find(name: string): Promise<{ readonly folder: string; readonly read: ReadSkill } | undefined> {
    for (const place of this.#places.filter(({ plugin }) => plugin === undefined)) {
      if (!NAME_PATTERN.test(name) || !(await isFile(join(place.folder, name, skillFile)))) continue
      if (!isIn(place, name) || !(await place.isOpen())) continue
      const read = await this.#skillIn(place, name)
      if (read !== undefined) return { folder: join(place.folder, name), read }
    }
    return this.#findOfPlugin(name)
  }

  async #findOfPlugin(name: string): Promise<{ readonly folder: string; readonly read: ReadSkill } | undefined> {
    if (this.#places.every(({ plugin }) => plugin === undefined)) return undefined
    const found = callNames(await this.#all()).find(name)
    return found === undefined ? undefined : { folder: join(found.place.folder, found.name), read: found.read }
  }

  async #unknown(name: string): Promise<string> {
    const names = (await this.list()).map((skill) => skill.name)
    const known = names.length === 0 ? "There are none." : `There are: ${names.slice(0, 50).join(", ")}.`
    return `There is no skill named '${name.slice(0, 128)}'. ${known}`
  }

  /** Undefined for a folder without a SKILL.md. */
  async #skillIn({ folder, plugin }: SkillPlace, name: string): Promise<ReadSkill | undefined> {
    const path = join(folder, name, skillFile)
    const mark = await markOf(path)
    const before = this.#known.get(path)
    if (mark !== undefined && before?.mark === mark) return { kind: "skill", skill: before.skill }
    const file = await readSmallText(path, MAX_BYTES)
    if (file.kind === "absent") return undefined
    if (file.kind === "unfit") return file
    const skill = await parseSkill(withPluginFolder(file.text, plugin))
    if (mark !== undefined) this.#known.set(path, { mark, skill })
    return { kind: "skill", skill }
  }
}

/** Changes with the file. */
async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return undefined // reading it says why
  }
}

function listing(name: string, { read, place, plugin, ...own }: FoundSkill): SkillListing {
  const full = fullName({ ...own, plugin })
  const known = { name, source: place.source, plugin, ...(full === name ? {} : { otherName: full }) }
  if (read.kind === "unfit") return { ...known, description: "", isOffered: false, problem: read.why }
  const { description, isOffered } = read.skill
  return { ...known, description, isOffered }
}

async function namesIn(place: SkillPlace): Promise<readonly string[]> {
  return place.only === undefined ? pathsIn(place.folder) : [...place.only]
}

function isIn({ only }: SkillPlace, name: string): boolean {
  return only === undefined || only.has(name)
}

/** Another file of the skill. Links lead nowhere else. */
async function readBeside(folder: string, file: string): Promise<SkillFileText> {
  const unreadable = (why: string): SkillFileText => ({
    kind: "no",
    reason: `${join(folder, file)} cannot be read: ${why}.`,
  })
  try {
    const path = await realpath(join(folder, file))
    if (!isInside(path, await realpath(folder)))
      return { kind: "no", reason: `${file} is outside of the skill's folder ${folder}.` }
    const read = await readSmallText(path, MAX_BYTES)
    if (read.kind === "text") return { kind: "text", text: read.text, folder, files: [] }
    return unreadable(read.kind === "unfit" ? read.why : "it does not exist")
  } catch (error) {
    return unreadable(describeError(error))
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** Relative paths of the files beside the SKILL.md. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const files: string[] = []
  // A generator of the file system: a folder with a million files is not read to its end.
  for await (const entry of await opendir(folder, { recursive: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (entry.isFile() && path !== skillFile) files.push(path)
    if (files.length >= MAX_FILES) break
  }
  return files.toSorted()
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}
