// Pictures and files of a message as attachments. They are passed on as they came: the host fetches no address, and an
// entry that cannot be used is left out, as clients expect.
import type { Attachment, JsonValue } from "../../contract/values.ts"
import { Members } from "./codec.ts"

const longestName = 255

export function imagesIn(entries: readonly JsonValue[] | undefined): Attachment[] {
  return (entries ?? []).flatMap((entry, index) => {
    const image = membersOf(entry)
    const url = image?.words("url")
    if (url === undefined) return []
    const detail = detailIn(image?.text("detail"))
    return attachment(`image-${index + 1}`, url, "image/*").map((found) => ({ ...found, ...detail }))
  })
}

export function filesIn(entries: readonly JsonValue[] | undefined): Attachment[] {
  return (entries ?? []).flatMap((entry) => {
    const file = membersOf(entry)
    const [name, url] = [file?.words("name"), file?.words("url")]
    if (name === undefined || url === undefined || name.length > longestName) return []
    return attachment(name, url, file?.words("mimeType") ?? "application/octet-stream")
  })
}

function detailIn(text: string | undefined): Pick<Attachment, "detail"> {
  return text === "low" || text === "high" || text === "auto" ? { detail: text } : {}
}

function attachment(name: string, url: string, mediaType: string): Attachment[] {
  const inline = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/s.exec(url)
  if (inline === null) return /^https?:\/\//i.test(url) ? [{ name, mediaType, url }] : []
  const body = url.slice(inline[0].length)
  const data = inline[3] === undefined ? encoded(body) : body
  return data === undefined || data === "" ? [] : [{ name, mediaType: inline[1] || mediaType, data }]
}

function encoded(body: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(body)).toString("base64")
  } catch {
    return undefined
  }
}

function membersOf(entry: JsonValue): Members | undefined {
  return new Members({ entry }).object("entry")
}
