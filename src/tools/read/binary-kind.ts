// Names the kind of a binary file by its first bytes.
const signatures: readonly (readonly [hex: string, kind: string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["52494646........57454250", "a WebP image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive (or a document that is one)"],
  ["1f8b", "gzip data"],
  ["28b52ffd", "zstd data"],
  ["fd377a585a00", "xz data"],
  ["425a68", "bzip2 data"],
  ["7f454c46", "an ELF program or library"],
  ["cffaedfe", "a Mach-O program or library"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d6174203300", "an SQLite database"],
  ["4f676753", "an Ogg file"],
  ["494433", "an MP3 file"],
  ["........66747970", "an MP4 file"],
]

export function binaryKind(first: Uint8Array): string {
  const hex = Buffer.from(first.subarray(0, 32)).toString("hex")
  const known = signatures.find(([signature]) => new RegExp(`^${signature}`).test(hex))
  if (known !== undefined) return known[1]
  return "binary data"
}
