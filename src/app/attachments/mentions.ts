// Finds `@path` in a prompt. Pure: whether a path is a file is decided by the caller.

/** The spellings of one mention, the longest first: punctuation after a path may belong to the sentence. */
export type Mention = readonly string[]

/** Longer ones are not paths. */
const MAX_LENGTH = 1024
/** At the beginning, after a blank or an opening bracket: not in an address such as a@b.example. */
const MENTION = /(?<=^|[\s([{"'`])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'`]+))/g

export function mentionsIn(text: string): readonly Mention[] {
  return [...text.matchAll(MENTION)].flatMap(([, double, single, bare]) => {
    const quoted = double ?? single
    const spellings = quoted === undefined ? withoutPunctuation(bare ?? "") : [quoted]
    return (spellings[0]?.length ?? 0) > MAX_LENGTH ? [] : [spellings]
  })
}

const PUNCTUATION = ".,;:!?)]}"

function withoutPunctuation(path: string): readonly string[] {
  const spellings = [path]
  for (let end = path.length; end > 1 && PUNCTUATION.includes(path.charAt(end - 1)); end -= 1)
    spellings.push(path.slice(0, end - 1))
  return spellings
}
