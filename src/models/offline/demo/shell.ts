// Shell commands the demo makes by itself. Every word that came from a person is quoted.
import { withoutTrailing } from "../../../contract/trailing.ts"

export function shellWord(word: string): string {
  if (/^[\w./@%+=:,][\w./@%+=:,-]*$/.test(word)) return word
  const quoted = `'${word.replaceAll("'", String.raw`'\''`)}'`
  return word.startsWith("-") ? `./${quoted}` : quoted
}

/** Plain text, not a pattern. */
export function grepCommand(text: string, path: string | undefined): string {
  const word = text.startsWith("-") ? `-e '${text.replaceAll("'", String.raw`'\''`)}'` : shellWord(text)
  return `grep -rnF ${word} ${shellWord(path ?? ".")}`
}

/** Nothing when the path is not a named thing below the working folder: the demo deletes no more than that. */
export function rm(path: string, contents: boolean): string | undefined {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".")
  const isOutside = path.startsWith("/") || path.startsWith("~") || segments.includes("..")
  if (isOutside || !/[\p{L}\p{N}]/u.test(segments[0] ?? "")) return undefined
  const pieces = withoutTrailing(path, "/").split("*") // a star keeps its meaning
  const word = pieces.map((piece) => (piece === "" ? "" : shellWord(piece))).join("*")
  return contents ? `rm -r ${word}/*` : `rm -r ${word}`
}
