// Problems of the configuration, one line each: where, what is wrong, and what to do. Values are shown only where they
// cannot be secrets.

const shownAtMost = 10

export class ConfigFault extends Error {
  override readonly name = "ConfigFault"
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(shown(problems))
    this.problems = problems
  }
}

function shown(problems: readonly string[]): string {
  const distinct = [...new Set(problems)]
  if (distinct.length <= shownAtMost) return distinct.join("\n")
  const first = distinct.slice(0, shownAtMost - 1)
  return [...first, `and ${distinct.length - first.length} more problems; fix these first.`].join("\n")
}
