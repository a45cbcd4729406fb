// Secrets, and the forms in which a value occurs: as it is, in JSON, in an address, and in base64, also as a part of a larger encoded
// text. Text that is encoded twice, wrapped, compressed or encrypted is not recognised.

/** A value that must not be stored, with a name for its placeholder. */
export interface Secret {
  /** The variable, or the place in the configuration, that holds it. Shown in the placeholder. */
  readonly name: string
  readonly value: string
}

/** Shorter values are not secrets: they would occur everywhere in ordinary text. */
export const shortestSecret = 8

export function formsOf(value: string): readonly string[] {
  const wellFormed = value.toWellFormed() // half a surrogate pair has no UTF-8, and encodeURIComponent throws on it
  const forms = new Set([value, ...jsonForms(value), ...addressForms(wellFormed), ...base64Forms(wellFormed)])
  return [...forms].filter((form) => form.length >= shortestSecret)
}

/** As common encoders write it: some escape the slash, some all but ASCII, some HTML characters. */
function jsonForms(value: string): string[] {
  const plain = insideJson(value)
  return [
    plain,
    plain.replaceAll("/", "\\/"),
    plain.replaceAll(/[<>&]/g, asUnicodeEscape),
    plain.replaceAll(/[^\0-\x7f]/g, asUnicodeEscape),
    insideJson(plain), // JSON as text within JSON
  ]
}

function insideJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function asUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}

function addressForms(value: string): string[] {
  const component = encodeURIComponent(value)
  const strict = component.replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const inForm = new URLSearchParams([["", value]]).toString().slice(1)
  const forms = [component, strict, inForm, encodeURI(value)]
  return [...forms, ...forms.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()))]
}

function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value)
  const alone = bytes.toString("base64")
  const standard = [alone, alone.replaceAll("=", ""), ...[0, 1, 2].map((offset) => base64Core(bytes, offset))]
  const safe = standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))
  return [...standard, ...safe, ...standard.map(encodeURIComponent)]
}

/** The characters that depend on the value alone if it begins `offset` bytes (modulo 3) into the encoded text. */
export function base64Core(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
  const first = offset === 0 ? 0 : offset + 1
  return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6))
}
