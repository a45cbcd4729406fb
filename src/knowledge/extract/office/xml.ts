// Parses one XML part of an office document. Names are reported without their prefix, which differs between writers.
// Entities of a document type are not expanded and nothing external is read: only the five of XML itself are known.
import { StringDecoder } from "node:string_decoder"
import { Parser } from "htmlparser2"
import { ExtractFault, extractLimits } from "../extract-limits.ts"

export type XmlAttributes = Readonly<Record<string, string>>

export interface XmlHandler {
  open?(name: string, attributes: XmlAttributes): void
  text?(text: string): void
  close?(name: string): void
}

const pieceBytes = 64 * 1024

export function parseXml(part: Buffer, handler: XmlHandler): void {
  let depth = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1
        if (depth > extractLimits.xmlDepth) throw new ExtractFault("its elements are nested too deeply")
        handler.open?.(localName(name), attributes)
      },
      ontext: (text) => handler.text?.(text),
      onclosetag: (name) => {
        depth -= 1
        handler.close?.(localName(name))
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  const decoder = new StringDecoder(part[0] === 0xff && part[1] === 0xfe ? "utf16le" : "utf8")
  for (let at = 0; at < part.length; at += pieceBytes) parser.write(decoder.write(part.subarray(at, at + pieceBytes)))
  parser.end(decoder.end())
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}

/** An attribute with a namespace, whatever its prefix. */
export function namespaced(attributes: XmlAttributes, name: string): string | undefined {
  for (const key in attributes) if (key.endsWith(`:${name}`)) return attributes[key]
  return undefined
}

/** A count of at least `least`, which a missing or senseless number is taken for. */
export function countIn(value: string | undefined, least: number, most: number): number {
  const count = Math.floor(Number(value))
  return count >= least ? Math.min(count, most) : least
}

/** The value of a switch such as `<w:vanish/>`. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !["0", "false", "off", "none"].includes(value)
}
