// What a file is by its first bytes, to refuse one whose name or media type says something else.
import { ExtractFault } from "./extract-limits.ts"
import { isOfficeKind, type WholeKind } from "./kinds.ts"

const pdf = Buffer.from("%PDF-")
const zip = Buffer.from("PK\u0003\u0004")
/** Office programs up to 2003, and encrypted files of the later ones. */
const compound = Buffer.from("d0cf11e0a1b11ae1", "hex")
const encryptedPackage = Buffer.from("EncryptedPackage", "utf16le")

export function checkSignature(kind: WholeKind, file: Buffer): void {
  if (startsWith(file, compound)) throw new ExtractFault(reasonOfCompound(file))
  if (kind !== "pdf" && startsWith(file, pdf)) throw new ExtractFault("it is a PDF file. Rename it to .pdf")
  if (isOfficeKind(kind) && !startsWith(file, zip))
    throw new ExtractFault("it is not a zip file, as documents of this kind are. It may have a wrong extension")
  if (!isOfficeKind(kind) && startsWith(file, zip))
    throw new ExtractFault("it is a zip file, perhaps of an office program. Give it its own extension")
}

function reasonOfCompound(file: Buffer): string {
  return file.includes(encryptedPackage)
    ? "it is encrypted. Save it without a password"
    : "it is a file of Office 2003 or older. Save it as .docx, .xlsx or .pptx"
}

function startsWith(file: Buffer, signature: Buffer): boolean {
  return file.subarray(0, signature.length).equals(signature)
}
