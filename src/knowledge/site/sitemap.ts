// Reads a sitemap, an index of sitemaps or a list of addresses in a text file. Entities of the file are not expanded.
import { gunzipSync } from "node:zlib"
import { Parser } from "htmlparser2"
import { siteLimits } from "./site-limits.ts"

export interface Sitemap {
  readonly pages: readonly string[]
  readonly sitemaps: readonly string[]
  /** Why it cannot be used. */
  readonly problem?: string
}

export function readSitemap(body: Buffer): Sitemap {
  const bytes = unpacked(body)
  if (bytes === undefined) return { pages: [], sitemaps: [], problem: "it is damaged or unpacks to too much" }
  const text = bytes.toString("utf8")
  return text.slice(0, 1000).trimStart().startsWith("<") ? ofXml(text) : { pages: ofLines(text), sitemaps: [] }
}

function unpacked(body: Buffer): Buffer | undefined {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  try {
    return gunzipSync(body, { maxOutputLength: siteLimits.sitemapBytes })
  } catch {
    return undefined
  }
}

function ofLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/, siteLimits.sitemapEntries).map((line) => line.trim())
  return lines.filter((line) => /^https?:\/\//i.test(line))
}

function ofXml(text: string): Sitemap {
  const [pages, sitemaps]: [string[], string[]] = [[], []]
  const path: string[] = []
  let address = ""
  const isAddress = () => path.at(-1) === "loc" && (path.at(-2) === "url" || path.at(-2) === "sitemap")
  const parser = new Parser(
    {
      onopentagname: (name) => {
        path.push(localName(name))
        address = ""
      },
      ontext: (part) => {
        if (isAddress() && address.length <= siteLimits.addressLength) address += part
      },
      onclosetag: () => {
        if (isAddress()) {
          const list = path.at(-2) === "sitemap" ? sitemaps : pages
          if (list.length < siteLimits.sitemapEntries) list.push(address.trim())
        }
        path.pop()
        address = ""
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
  return { pages, sitemaps }
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1).toLowerCase()
}
