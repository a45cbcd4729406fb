// What a value looks like without its contents, as lines such as `state.turn.step.calls[].phase: string`.

export function addShape(lines: Set<string>, value: unknown, path = ""): void {
  if (Array.isArray(value)) {
    lines.add(`${path}: array`)
    for (const item of value) addShape(lines, item, `${path}[]`)
  } else if (typeof value === "object" && value !== null) {
    lines.add(`${path}: object`)
    for (const [name, member] of Object.entries(value)) addShape(lines, member, `${path}.${keyOf(name)}`)
  } else if (value !== undefined) lines.add(`${path}: ${value === null ? "null" : typeof value}`)
}

/** Ids and numbers as keys are contents. */
function keyOf(name: string): string {
  return /^([a-z]{3}_)?\d+$/.test(name) ? "*" : name
}
