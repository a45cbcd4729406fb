// Quoted words are taken literally: they are replaced by a mark before a message is taken apart, so that neither an
// "and" nor a full stop inside them counts, and put back afterwards.
const quotes = /```(?:\w*\n)?([\s\S]+?)```|`([^`]+)`|"([^"]+)"|“([^”]+)”|(?<=^|[\s(])'([^']+)'(?=$|[\s).,;:!?])/g
const openMark = "\uE000"
const closeMark = "\uE001"
const marks = /\uE000(\d+)\uE001/g

export interface Masked {
  readonly text: string
  readonly literals: readonly string[]
}

export function mask(message: string): Masked {
  const literals: string[] = []
  const text = message.replaceAll(/[\uE000\uE001]/g, "").replace(quotes, (_, ...groups: unknown[]) => {
    const literal = groups.slice(0, 5).find((group) => typeof group === "string")
    return `${openMark}${literals.push(String(literal)) - 1}${closeMark}`
  })
  return { text, literals }
}

export function unmask(text: string, literals: readonly string[]): string {
  return text.replace(marks, (_, index: string) => literals[Number(index)] ?? "")
}

export function isLiteral(text: string): boolean {
  return /^\uE000\d+\uE001$/.test(text)
}
