// The smallest valid PNG and PDF with given content.
import { deflateSync, inflateSync } from "node:zlib"
import { pngOfRows } from "../../../src/tools/fixtures/images.ts"

/** One pixel. */
export function pngOf(rgbHex: string): Uint8Array {
  const header = Buffer.from("00000001000000010802000000", "hex")
  return pngOfRows(header, Buffer.from(`00${rgbHex}`, "hex"))
}

/** The pixel of an image made by `pngOf`, as hex. */
export function pixelIn(png: Uint8Array): string {
  const bytes = Buffer.from(png)
  const at = bytes.indexOf("IDAT")
  if (at < 0) return "not a PNG"
  const length = bytes.readUInt32BE(at - 4)
  return inflateSync(bytes.subarray(at + 4, at + 4 + length))
    .subarray(1, 4)
    .toString("hex")
}

export function pdfWith(text: string): Uint8Array {
  // Compressed, so that the text cannot be seen in the bytes.
  const content = deflateSync(`BT /F1 12 Tf 20 100 Td (${text}) Tj ET`).toString("latin1")
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ]
  let file = "%PDF-1.4\n"
  const offsets = objects.map((object, n) => {
    const offset = file.length
    file += `${n + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, "0")} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`
  return Buffer.from(
    `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    "latin1",
  )
}
