// Markdown of models as elements, built from tokens: HTML in it is text, links lead to http, https and mail addresses only,
// and images are not loaded.
import { lexer, type Token, type Tokens } from "marked"
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { highlighted } from "../../../src/display/highlight.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { Spans } from "../spans.tsx"
import { safeAddress } from "./safe-address.ts"

/** Characters that are laid out. The parser recurses, and a page with more is of no use to a reader. */
const MAX_TEXT = 400_000

export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lexer(text.slice(0, MAX_TEXT)), [text])
  const hidden = text.length - MAX_TEXT
  return (
    <div class="markdown">
      <Blocks tokens={tokens} />
      {hidden > 0 && <p class="muted">+{hidden} characters</p>}
    </div>
  )
}

/** A block is drawn again only if its token is another one. */
export function Blocks({ tokens }: { readonly tokens: readonly Token[] }) {
  return (
    <>
      {tokens.map((token, at) => (
        <Block key={at} token={token} />
      ))}
    </>
  )
}

function Block({ token }: { readonly token: Token }) {
  return useMemo(() => <>{block(token)}</>, [token])
}

function block(token: Token): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      return <Heading depth={token.depth}>{inlineAll(token.tokens)}</Heading>
    case "paragraph":
      return <p>{inlineAll(token.tokens)}</p>
    case "text":
      return token.tokens === undefined ? safe(token.text) : inlineAll(token.tokens)
    case "code":
      return <Code text={token.text} language={token.lang} />
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens ?? []} />
        </blockquote>
      )
    case "list":
      return <List items={token.items} start={token.ordered ? Number(token.start) : undefined} />
    case "table":
      return <Table header={token.header} rows={token.rows} />
    case "hr":
      return <hr />
    default:
      return <p>{safe(token.raw)}</p>
  }
}

/** Below the headings of the page itself. */
function Heading({ depth, children }: { readonly depth: number; readonly children: ComponentChildren }) {
  return (
    <div role="heading" aria-level={Math.min(6, depth + 2)} class={`h${depth}`}>
      {children}
    </div>
  )
}

function Code({ text, language }: { readonly text: string; readonly language: string | undefined }) {
  const lines = highlighted(safe(text), language)
  return (
    <pre class="code" tabIndex={0}>
      <code>
        {lines.map((line, at) => (
          <>
            {at > 0 && "\n"}
            <Spans line={line} />
          </>
        ))}
      </code>
    </pre>
  )
}

function List({ items, start }: { readonly items: readonly Tokens.ListItem[]; readonly start: number | undefined }) {
  const entries = items.map((item, at) => (
    <li key={at} class={item.task ? "task" : undefined}>
      {item.task && (
        <span aria-label={item.checked === true ? "done" : "open"}>{item.checked === true ? "☑ " : "☐ "}</span>
      )}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== "checkbox")} />
    </li>
  ))
  return start === undefined ? <ul>{entries}</ul> : <ol start={start}>{entries}</ol>
}

function Table({ header, rows }: Pick<Tokens.Table, "header" | "rows">) {
  return (
    <div class="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} data-align={cell.align}>
                {inlineAll(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} data-align={cell.align}>
                  {inlineAll(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inlineAll(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map(inline)
}

function inline(token: Token): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inlineAll(token.tokens)}</strong>
    case "em":
      return <em>{inlineAll(token.tokens)}</em>
    case "del":
      return <del>{inlineAll(token.tokens)}</del>
    case "codespan":
      return <code>{safe(token.text)}</code>
    case "br":
      return <br />
    case "link":
      return link(token.href, inlineAll(token.tokens))
    case "image":
      return link(token.href, `[image: ${safe(token.text)}]`)
    case "escape":
      return safe(token.text)
    case "text":
      return token.tokens === undefined ? entities(safe(token.text)) : inlineAll(token.tokens)
    default:
      return safe(token.raw)
  }
}

/** The address shows on demand: a link may lead elsewhere than its text says. */
function link(href: string, label: ComponentChildren): ComponentChildren {
  const address = safeAddress(href)
  if (address === undefined) return [label, " (", safe(href), ")"]
  return (
    <a href={address} title={address} rel="noopener noreferrer" target="_blank">
      {label}
    </a>
  )
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" }

function entities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (whole, name: string) => named[name] ?? whole)
}
