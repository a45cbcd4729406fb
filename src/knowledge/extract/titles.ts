// Titles of documents: the first heading of a text is its title in the index.
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}

/** Of a text in Markdown, without its mark; empty if there is none. */
export function firstHeading(text: string): string {
  return /^#{1,6} .*/m.exec(text)?.[0].replace(/^#+ /, "") ?? ""
}

/** The title as the first heading, unless the text begins with it, or with another heading of the first level. */
export function withTitle(title: string, text: string): string {
  return topHeadings(text).isFirst ? text : titled(title, text)
}

/** Of a page: several headings of the first level are those of its chapters. */
export function withPageTitle(title: string, text: string): string {
  const { isFirst, count } = topHeadings(text)
  return isFirst && count === 1 ? text : titled(title, text)
}

function titled(title: string, text: string): string {
  const line = oneLine(title)
  return line === "" || firstHeading(text) === line ? text : `# ${line}\n\n${text}`
}

function topHeadings(text: string): { readonly isFirst: boolean; readonly count: number } {
  return {
    isFirst: /^#{1,6} .*/m.exec(text)?.[0].startsWith("# ") === true,
    count: text.match(/^# /gm)?.length ?? 0,
  }
}
