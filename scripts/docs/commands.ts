// A page for each command: what --help says, and its section of docs/command-line.md.
import { helpOption, type Command, type OptionSpec } from "../../src/cli/command.ts"
import { commandGroups } from "../../src/cli/commands.ts"
import { optionLabel } from "../../src/cli/help.ts"
import { reflowed } from "../../src/cli/print/hanging.ts"
import { codeBlock, escapeHtml } from "./html.ts"
import type { Links } from "./links.ts"
import { markdownHtml } from "./markdown-html.ts"
import type { NavItem, Page } from "./page.ts"
import { anchorOf } from "./source.ts"
import type { Piece } from "./pieces.ts"

export const commandPages: readonly NavItem[] = commandGroups.flatMap(({ commands }) =>
  commands.map(({ name }) => ({ url: pageUrl(name), title: name })),
)

/** `pieces`: those of docs/command-line.md, the first of which is the beginning of the list of commands. */
export function commandHtml([overview, ...sections]: readonly Piece[], links: Links): readonly Page[] {
  const pages = commandGroups.flatMap(({ commands }) => commands.map((command) => page(command, sections, links)))
  return overview === undefined ? pages : [listPage(overview, links), ...pages]
}

function pageUrl(name: string): string {
  return `commands/${name.replace("_", "-")}.html`
}

function listPage(overview: Piece, links: Links): Page {
  const groups = commandGroups.map(({ title, commands }) => {
    const rows = commands.map(({ name, summary }) => {
      const link = `<a href="${pageUrl(name).replace("commands/", "")}"><code>turnhouse ${name}</code></a>`
      return `<dt>${link}</dt><dd>${escapeHtml(summary)}.</dd>`
    })
    return `<h2 id="${anchorOf(title)}">${title}</h2>\n<dl class="facts">${rows.join("\n")}</dl>`
  })
  const body = `${markdownHtml(overview.tokens, { ...overview, links })}\n${groups.join("\n")}`
  return { url: overview.url, title: overview.title, body }
}

function page(command: Command, sections: readonly Piece[], links: Links): Page {
  const { name, summary, positionals = "", options, details = "" } = command
  const url = pageUrl(name)
  const usage = ["turnhouse", name, positionals, "[OPTIONS]"].filter((part) => part !== "").join(" ")
  const section = sections.find(({ title }) => title.split(/, | and /).includes(name))
  if (section === undefined)
    throw new Error(`docs/command-line.md: the command '${name}' needs a section '### ${name}'.`)
  const rows = Object.entries<OptionSpec>({ ...options, ...helpOption }).map(([option, spec]) => {
    return `<dt><code>${escapeHtml(optionLabel(option, spec).trim())}</code></dt><dd>${escapeHtml(spec.help)}</dd>`
  })
  const body = [
    `<p class="lead">${escapeHtml(summary)}.</p>`,
    codeBlock(usage, "", "Usage"),
    `<h2 id="help-options">Options</h2><dl class="facts">${rows.join("\n")}</dl>`,
    notes(details),
    `<h2 id="help-guide">Guide</h2>`,
    markdownHtml(section.tokens, { ...section, url, links }),
  ]
  return { url, title: `turnhouse ${name}`, heading: `<code>turnhouse ${name}</code>`, body: body.join("\n") }
}

/** Paragraphs, and lines such as `add   Read files` as a list. */
function notes(details: string): string {
  return reflowed(details, Number.MAX_SAFE_INTEGER)
    .map((line) => {
      const [, term, text = ""] = /^(\S+)\s{2,}(\S.*)$/.exec(line) ?? []
      if (term === undefined) return `<p>${escapeHtml(line.trim())}</p>`
      return `<dl class="facts"><dt><code>${escapeHtml(term)}</code></dt><dd>${escapeHtml(text)}</dd></dl>`
    })
    .join("\n")
}
