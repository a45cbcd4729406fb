// German compounds. Where an ending shows the joint ("Silbentrennung|s|regel"), the parts are indexed beside the whole.
// Other compounds of a question are split where both parts are words of the documents.
import { stemOf } from "./languages.ts"

/** Endings after which German joins with an s. */
const joint = /^(\p{L}{2,40}(?:ung|heit|keit|schaft|ion|tät|ling|tum))s(\p{L}{4,40})$/u
const links = ["", "s", "n", "en", "es", "er"]
const MIN_PART = 4
const MAX_LENGTH = 40

/** Of a lower-case word; undefined if no joint shows. */
export function partsAtJoint(word: string): readonly [string, string] | undefined {
  const [, head, tail] = joint.exec(word) ?? []
  return head === undefined || tail === undefined ? undefined : [head, tail]
}

/** Stems of two parts that are both known; the longest second part wins, which carries the meaning. */
export function splitCompound(word: string, isKnown: (term: string) => boolean): readonly [string, string] | undefined {
  if (word.length > MAX_LENGTH) return undefined
  for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
    const tail = stemOf(word.slice(at), "de")
    if (!isKnown(tail)) continue
    const head = headsOf(word.slice(0, at)).find(isKnown)
    if (head !== undefined) return [head, tail]
  }
  return undefined
}

function headsOf(beginning: string): readonly string[] {
  const heads = links
    .filter((link) => beginning.endsWith(link))
    .map((link) => beginning.slice(0, beginning.length - link.length))
  return heads.filter((head) => head.length >= MIN_PART - 1).map((head) => stemOf(head, "de"))
}
