// The text of a file as a read tool returned it: numbered lines lose their numbers, and whatever stands between them
// is a notice of the tool. After such a notice the whole of the file is not known, and nothing may be concluded from
// what is missing. Output without numbers (of `cat`, say) is taken as it is.

export interface FileText {
  readonly text: string
  /** False when only a part was shown. */
  readonly whole: boolean
}

const numbered = /^ *(\d+)\t/
const leftOut = /\[(?:… )?[\d,]+ (?:more |further )?(?:characters|bytes|lines)\b.*\]\s*$/

export function fileText(output: string): FileText {
  if (/^[^\t]+ is empty\.$/.test(output)) return { text: "", whole: true }
  const lines = output.split("\n")
  const whole = !lines.some((line) => leftOut.test(line))
  const body = lines.filter((line) => numbered.test(line))
  const inOrder =
    body.length > 0 && body.every((line, index) => index === 0 || numberOf(line) > numberOf(body[index - 1]))
  if (numberOf(lines[0]) !== 1 || !inOrder) return { text: output, whole }
  return {
    text: body.map((line) => line.replace(numbered, "")).join("\n"),
    whole: whole && body.length === lines.length,
  }
}

function numberOf(line: string | undefined): number {
  return Number(numbered.exec(line ?? "")?.[1] ?? 0)
}
