// The parts of an Office Open XML file (docx, pptx, xlsx) and how they refer to each other.
import { posix } from "node:path"
import { ExtractFault } from "../extract-limits.ts"
import { ZipFile } from "../zip.ts"
import { namespaced, parseXml } from "./xml.ts"

export interface Relation {
  readonly id: string
  /** The last word of its type: `slide`, `notesSlide`, `worksheet`. */
  readonly type: string
  /** Name of the part; it may be missing. */
  readonly target: string
}

export class OfficePackage {
  readonly #zip: ZipFile

  constructor(file: Buffer) {
    this.#zip = new ZipFile(file)
  }

  part(name: string): Buffer | undefined {
    return this.#zip.part(name)
  }

  /** What a part refers to inside the file; `""` is the file itself. Nothing external is followed. */
  relations(name: string): readonly Relation[] {
    const folder = name === "" ? "" : posix.dirname(name)
    const relations: Relation[] = []
    const part = this.part(posix.join(folder, "_rels", `${posix.basename(name)}.rels`))
    if (part === undefined) return relations
    parseXml(part, {
      open: (element, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) => {
        if (element === "Relationship" && mode !== "External")
          relations.push({ id, type: type.slice(type.lastIndexOf("/") + 1), target: resolved(folder, target) })
      },
    })
    return relations
  }

  /** The part that the others belong to. It is in the folder of its program: `word`, `ppt` or `xl`. */
  main(usual: string, what: string): { readonly name: string; readonly part: Buffer } {
    const name = this.related("", "officeDocument")[0] ?? usual
    const part = posix.dirname(name) === posix.dirname(usual) ? this.part(name) : undefined
    if (part === undefined) throw new ExtractFault(`it is not ${what}: it has no main part`)
    return { name, part }
  }

  /** The parts of a type that a part refers to. */
  related(name: string, type: string): readonly string[] {
    return this.relations(name).flatMap((relation) => (relation.type === type ? [relation.target] : []))
  }

  /** Of the core properties. */
  get title(): string {
    const [name = ""] = this.related("", "core-properties")
    return titleOf(this.part(name))
  }
}

/** The text of the first `title` element. */
export function titleOf(part: Buffer | undefined): string {
  let title = ""
  let isOpen = false
  if (part === undefined) return title
  parseXml(part, {
    open: (name) => (isOpen = name === "title" && title === ""),
    text: (text) => void (title += isOpen ? text.slice(0, MAX_TITLE) : ""),
    close: () => (isOpen = false),
  })
  return title.slice(0, MAX_TITLE).trim()
}

const MAX_TITLE = 500

/** Ids of relations named by elements such as `<p:sldId r:id="rId2"/>`, in their order. */
export function relationIds(part: Buffer, element: string): readonly string[] {
  const ids: string[] = []
  parseXml(part, {
    open: (name, attributes) => {
      if (name === element) ids.push(namespaced(attributes, "id") ?? "")
    },
  })
  return ids
}

function resolved(folder: string, target: string): string {
  return target.startsWith("/") ? target.slice(1) : posix.join(folder, target)
}
