/** The matcher of a shell hook: names of tools separated by `|`, with `*` or `.*` for any text. */
export const hookMatcher = /^(?:[\w:| *-]|\.\*)*$/
