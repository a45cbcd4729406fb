// Text of an OpenDocument text, spreadsheet or presentation. Comments, tracked deletions, hidden text and tables of contents
// are skipped; hidden sheets are named.
import { ExtractFault } from "../extract-limits.ts"
import { ZipFile } from "../zip.ts"
import { withTitle } from "../titles.ts"
import { OdfSheets } from "./odf-sheets.ts"
import { OdfText } from "./odf-text.ts"
import { titleOf } from "./package.ts"
import { parseXml } from "./xml.ts"

export function odfText(file: Buffer): string {
  const zip = new ZipFile(file)
  if (zip.part("META-INF/manifest.xml")?.includes("encryption-data") === true)
    throw new ExtractFault("it is encrypted. Save it without a password")
  const part = zip.part("content.xml")
  if (part === undefined) throw new ExtractFault("it is not an OpenDocument file: it has no content")
  const isSpreadsheet = zip.part("mimetype")?.includes("spreadsheet") === true
  const content = isSpreadsheet ? new OdfSheets() : new OdfText()
  parseXml(part, content)
  return withTitle(titleOf(zip.part("meta.xml")), content.content)
}
