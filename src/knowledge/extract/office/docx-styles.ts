// What the styles and numberings of a Word document mean for a paragraph. Built-in styles have English names in every
// language of Word; their ids differ.
import { countIn, namespaced, parseXml } from "./xml.ts"

export type ParagraphStyle =
  | { readonly kind: "heading"; readonly level: number }
  | { readonly kind: "item" }
  | { readonly kind: "contents" }

interface Style {
  name: string
  basedOn: string
  outline: number | undefined
}

const MAX_ANCESTORS = 10
/** Outline levels are counted from 0; the tenth one is body text. */
export const BODY_OUTLINE = 9

/** By style id. */
export function paragraphStyles(part: Buffer | undefined): (id: string) => ParagraphStyle | undefined {
  const styles = new Map<string, Style>()
  let style: Style = { name: "", basedOn: "", outline: undefined }
  if (part !== undefined)
    parseXml(part, {
      open: (element, attributes) => {
        const value = namespaced(attributes, "val") ?? ""
        if (element === "style") {
          style = { name: "", basedOn: "", outline: undefined }
          styles.set(namespaced(attributes, "styleId") ?? "", style)
        } else if (element === "name") style.name = value
        else if (element === "basedOn") style.basedOn = value
        else if (element === "outlineLvl") style.outline = countIn(value, 0, BODY_OUTLINE)
      },
    })
  return (id) => meaningOf(styles, id)
}

function meaningOf(styles: ReadonlyMap<string, Style>, id: string): ParagraphStyle | undefined {
  for (let [depth, at] = [0, id]; depth < MAX_ANCESTORS; depth++) {
    const style = styles.get(at)
    const meaning = namedMeaning(style?.name ?? at) ?? outlineMeaning(style?.outline)
    if (meaning !== undefined || style === undefined) return meaning
    at = style.basedOn
  }
  return undefined
}

function namedMeaning(name: string): ParagraphStyle | undefined {
  if (/^title$/i.test(name)) return { kind: "heading", level: 1 }
  if (/^toc\s?[1-9]$/i.test(name)) return { kind: "contents" }
  const heading = /^heading\s?([1-9])$/i.exec(name)?.[1]
  if (heading !== undefined) return { kind: "heading", level: Number(heading) }
  return /^list\s?(?:bullet|number)/i.test(name) ? { kind: "item" } : undefined
}

function outlineMeaning(outline: number | undefined): ParagraphStyle | undefined {
  return outline === undefined || !(outline < BODY_OUTLINE) ? undefined : { kind: "heading", level: outline + 1 }
}

/** Counts the items of numbered lists. Only plain numbers are shown; letters and the like become a bullet. */
export class Numberings {
  /** By numbering and level: whether it has plain numbers. */
  readonly #isDecimal = new Map<string, boolean>()
  readonly #counts = new Map<string, Map<number, number>>()

  constructor(part: Buffer | undefined) {
    const abstractOf = new Map<string, string>()
    const decimals = new Map<string, Map<string, boolean>>()
    let levels = new Map<string, boolean>()
    let [level, number] = ["", ""]
    if (part === undefined) return
    parseXml(part, {
      open: (element, attributes) => {
        const value = namespaced(attributes, "val") ?? ""
        if (element === "abstractNum") {
          levels = new Map()
          decimals.set(namespaced(attributes, "abstractNumId") ?? "", levels)
        } else if (element === "lvl") level = namespaced(attributes, "ilvl") ?? ""
        else if (element === "numFmt") levels.set(level, value === "decimal")
        else if (element === "num") number = namespaced(attributes, "numId") ?? ""
        else if (element === "abstractNumId") abstractOf.set(number, value)
      },
    })
    for (const [id, abstract] of abstractOf)
      for (const [at, isDecimal] of decimals.get(abstract) ?? []) this.#isDecimal.set(`${id} ${at}`, isDecimal)
  }

  /** `1.` or `-` */
  next(numbering: string, level: number): string {
    if (this.#isDecimal.get(`${numbering} ${level}`) !== true) return "-"
    const counts = this.#counts.get(numbering) ?? new Map<number, number>()
    const count = (counts.get(level) ?? 0) + 1
    this.#counts.set(numbering, counts.set(level, count))
    for (const deeper of counts.keys()) if (deeper > level) counts.delete(deeper)
    return `${count}.`
  }
}
