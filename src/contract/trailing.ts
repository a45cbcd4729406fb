// Cutting characters off the end of a text. A regular expression such as /x+$/ looks at every run of x again from each
// of its characters, which takes the square of the time.

export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
