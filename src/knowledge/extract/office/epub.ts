// Text of an electronic book: its chapters in reading order, below the title of the book.
import { posix } from "node:path"
import { ExtractFault, extractLimits, tooMuchText } from "../extract-limits.ts"
import { pagePlainText } from "../html-markdown.ts"
import { decodePage } from "../page-encoding.ts"
import { oneLine, withTitle } from "../titles.ts"
import { ZipFile } from "../zip.ts"
import { titleOf } from "./package.ts"
import { parseXml } from "./xml.ts"

const pageTypes: ReadonlySet<string> = new Set(["application/xhtml+xml", "text/html"])
/** Obscures fonts, which is no encryption of the text. */
const fontAlgorithms = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/

export function epubText(file: Buffer): string {
  const zip = new ZipFile(file)
  const main = mainPart(zip.part("META-INF/container.xml"))
  const part = zip.part(main)
  if (part === undefined) throw new ExtractFault("it is not an EPUB book: it has no package document")
  if (isEncrypted(zip.part("META-INF/encryption.xml")))
    throw new ExtractFault("it is encrypted. Add a copy without DRM")
  let text = ""
  for (const name of chaptersOf(part, posix.dirname(main))) {
    const chapter = zip.part(name)
    if (chapter === undefined) throw new ExtractFault("it is damaged: a chapter is missing")
    text += chapterText(chapter)
    if (text.length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
  }
  return withTitle(titleOf(part), text)
}

/** Headings of chapters are below the title of the book. */
function chapterText(chapter: Buffer): string {
  const { title, text } = pagePlainText(decodePage(chapter, undefined), 1)
  if (text.trim() === "") return ""
  return title === "" || /^#/m.test(text) ? `${text}\n` : `## ${oneLine(title)}\n\n${text}\n`
}

function mainPart(container: Buffer | undefined): string {
  let main = ""
  if (container !== undefined)
    parseXml(container, {
      open: (name, attributes) => {
        if (name === "rootfile") main ||= attributes["full-path"] ?? ""
      },
    })
  return main
}

/** Without the table of contents. A part that is named twice is read once. */
function chaptersOf(part: Buffer, folder: string): ReadonlySet<string> {
  const pages = new Map<string, string>()
  const chapters = new Set<string>()
  parseXml(part, {
    open: (name, { id = "", href = "", idref = "", properties = "", "media-type": type = "" }) => {
      const isContents = properties.split(" ").includes("nav")
      if (name === "item" && pageTypes.has(type) && !isContents) pages.set(id, posix.join(folder, decoded(href)))
      const page = pages.get(idref)
      if (name === "itemref" && page !== undefined) chapters.add(page)
    },
  })
  return chapters
}

function decoded(reference: string): string {
  const [path = ""] = reference.split("#", 1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path // a name with a bare percent sign
  }
}

function isEncrypted(part: Buffer | undefined): boolean {
  let isText = false
  if (part !== undefined)
    parseXml(part, {
      open: (name, { Algorithm: algorithm = "" }) => {
        if (name === "EncryptionMethod" && !fontAlgorithms.test(algorithm)) isText = true
      },
    })
  return isText
}
