// Variables in the settings of an MCP server: `${NAME}` and `${NAME:-default}`. A value is inserted as it is, so that
// variables which name each other cannot loop.

export interface VariableSource {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that the settings may not read. */
  readonly isClosed: (variable: string) => boolean
}

/** Why a server cannot be used. */
export class Unusable extends Error {}

/** Characters of all values of one server. */
const MAX_CHARACTERS = 256 * 1024
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g

/** Throws Unusable. Counts the length of what it returns. */
export function variableExpander({ env, isClosed }: VariableSource): (text: string) => string {
  let left = MAX_CHARACTERS
  const take = (text: string) => {
    left -= text.length
    if (left < 0) throw new Unusable(`its values have more than ${MAX_CHARACTERS} characters`)
    return text
  }
  return (text) => {
    const parts: string[] = []
    let end = 0
    for (const match of text.matchAll(reference)) {
      const [whole, name = "", fallback] = match
      parts.push(take(text.slice(end, match.index)), take(valueOf(name, fallback)))
      end = match.index + whole.length
    }
    return [...parts, take(text.slice(end))].join("")
  }

  /** As in a shell, an empty variable counts as unset where there is a default. */
  function valueOf(name: string, fallback: string | undefined): string {
    if (isClosed(name)) throw new Unusable(`it may not read the variable ${name}`)
    const value = env[name]
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value
    if (value === undefined)
      throw new Unusable(`the variable ${name} is not set; set it, or write \${${name}:-default}`)
    return value
  }
}
