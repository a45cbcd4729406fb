// One message of mail as text: subject, sender, date, its text without quoted earlier messages and signature, and what is
// attached.
import PostalMime, { type Address, type Attachment, type Email } from "postal-mime"
import { ExtractFault, extractLimits, tooMuchText } from "../extract-limits.ts"
import { pagePlainText } from "../html-markdown.ts"
import { kindOfMediaType, kindOfName, type Kind } from "../kinds.ts"
import { oneLine } from "../titles.ts"
import { withoutQuotes } from "./quotes.ts"

const MAX_NAME_LENGTH = 200
const MAX_PARTS_DEPTH = 50
const MAX_NESTED_MESSAGES = 3

/** Text of an attachment. */
export type ReadAttachment = (kind: Kind, file: Buffer) => Promise<string>

export async function messageText(file: Buffer, headingLevel: number, read: ReadAttachment): Promise<string> {
  const mail = await parsed(file.subarray(0, extractLimits.messageBytes))
  if (mail.headers.length === 0) throw new ExtractFault("it is not a mail message: it has no header")
  const subject = oneLine(mail.subject ?? "") || "(no subject)"
  const body = bodyOf(mail, /^(?:fwd?|wg|tr|rv)\s*:/i.test(subject))
  const blocks = [`${"#".repeat(headingLevel)} ${subject}`, headOf(mail), body].filter((block) => block !== "")
  return `${blocks.join("\n\n")}\n\n${await attachmentsText(mail.attachments, headingLevel + 1, read)}`
}

async function parsed(file: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(file, {
      maxNestingDepth: MAX_PARTS_DEPTH,
      maxRfc822NestingDepth: MAX_NESTED_MESSAGES,
    })
  } catch (fault) {
    throw new ExtractFault(`it is damaged: ${fault instanceof Error ? fault.message : String(fault)}`, { cause: fault })
  }
}

function headOf({ from, date }: Email): string {
  const lines = [
    ["From", from === undefined ? "" : nameOf(from)],
    ["Date", date?.replace(/T(\d\d:\d\d).*$/, " $1 UTC") ?? ""],
  ]
  return lines.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`])).join("\n")
}

function nameOf({ name, address }: Address): string {
  const shown = oneLine(name).slice(0, MAX_NAME_LENGTH)
  if (address === undefined || address === "") return shown
  return shown === "" ? address.slice(0, MAX_NAME_LENGTH) : `${shown} <${address.slice(0, MAX_NAME_LENGTH)}>`
}

/** The text part; of mail without one the page. In forwarded mail the quoted message is the content. */
function bodyOf({ text, html }: Email, isForwarded: boolean): string {
  const body = text?.trim() ? text : pagePlainText(html ?? "").text
  return isForwarded ? body.trim() : withoutQuotes(body)
}

async function attachmentsText(
  attachments: readonly Attachment[],
  headingLevel: number,
  read: ReadAttachment,
): Promise<string> {
  let text = ""
  const attached = attachments.filter(({ related }) => related !== true)
  for (const [at, attachment] of attached.entries()) {
    if (at === extractLimits.attachments) return `${text}[${attached.length - at} more attachments]\n\n`
    text += await attachmentText(attachment, headingLevel, read)
    if (text.length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
  }
  return text
}

/** An attachment that cannot be read is named with the reason; the message is read nevertheless. */
async function attachmentText({ filename, mimeType, content }: Attachment, level: number, read: ReadAttachment) {
  const name = oneLine(filename ?? mimeType).slice(0, MAX_NAME_LENGTH)
  const kind = kindOfName(filename ?? "") ?? kindOfMediaType(mimeType)
  if (kind === undefined || typeof content === "string") return `[Attachment: ${name}]\n\n`
  try {
    const bytes = content instanceof Uint8Array ? content : new Uint8Array(content)
    const text = await read(kind, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return `${"#".repeat(level)} Attachment: ${name}\n\n${text.trim()}\n\n`
  } catch (fault) {
    if (!(fault instanceof ExtractFault)) throw fault
    return `[Attachment: ${name}; it cannot be read: ${fault.message}]\n\n`
  }
}
