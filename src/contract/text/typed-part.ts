// What is being typed in a prompt that could be completed: a file after `@`, a slash command at the beginning.

export interface TypedPart {
  readonly kind: "file" | "command"
  /** Where it begins. */
  readonly from: number
  readonly query: string
}

export function typedPart({ text, cursor }: { readonly text: string; readonly cursor: number }): TypedPart | undefined {
  const before = text.slice(0, cursor)
  const command = /^\/([\w:-]*)$/.exec(before)
  if (command !== null) return { kind: "command", from: 0, query: command[1] ?? "" }
  const file = /(?:^|[\s(])@([^\s@"]*)$/.exec(before)
  if (file === null) return undefined
  const query = file[1] ?? ""
  return { kind: "file", from: cursor - query.length - 1, query }
}

/** A blank or a quote in a name needs quotes around it. */
export function fileMention(file: string): string {
  if (!/[\s"'`]/.test(file)) return `@${file}`
  return file.includes('"') ? `@'${file}'` : `@"${file}"`
}
