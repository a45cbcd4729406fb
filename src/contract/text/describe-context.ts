// What fills a context window, as a bar and a table. Readable without colour: each row begins with the sign it has in the
// bar.
import type { ContextPart, ContextUsage } from "../views/context-usage.ts"
import { oneLine } from "./text.ts"

/** Signs of the bar, where there is room. */
const BAR_WIDTH = 60
const MAX_NAME = 40

interface Row {
  readonly sign: string
  readonly label: string
  readonly tokens: number
  readonly note?: string
}

const rows: readonly { readonly kind: ContextPart["kind"]; readonly sign: string; readonly label: string }[] = [
  { kind: "system", sign: "█", label: "System prompt" },
  { kind: "instructions", sign: "▓", label: "Instructions" },
  { kind: "tools", sign: "▒", label: "Tools" },
  { kind: "summary", sign: "≡", label: "Summary" },
  { kind: "messages", sign: "░", label: "Messages" },
  { kind: "results", sign: "▪", label: "Tool results" },
]
const freeSign = "·"

export function describeContext(usage: ContextUsage, columns = BAR_WIDTH): string {
  const { model, window, parts, reported } = usage
  const used = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const groups = rows.map((row): Row => ({ ...row, tokens: sumOf(parts, row.kind) }))
  const title = `${model}: about ${grouped(used)} of ${grouped(window)} tokens (${percent(used, window)})`
  const counted = reported === undefined ? [] : [`The provider counted ${grouped(reported)} with the newest answer.`]
  return [
    title,
    bar(groups, window, Math.max(1, Math.min(BAR_WIDTH, columns))),
    ...table(tableRows(usage, groups, used), window),
    ...counted,
  ].join("\n")
}

function sumOf(parts: readonly ContextPart[], kind: ContextPart["kind"]): number {
  return parts.reduce((sum, part) => (part.kind === kind ? sum + part.tokens : sum), 0)
}

/** A part that is not empty has at least one sign. */
function bar(groups: readonly Row[], window: number, width: number): string {
  const signs = groups.map(({ sign, tokens }) => {
    const share = Math.round((tokens / Math.max(1, window)) * width)
    return sign.repeat(tokens === 0 ? 0 : Math.max(1, Math.min(width, share)))
  })
  return signs.join("").slice(0, width).padEnd(width, freeSign)
}

function tableRows(
  { window, parts, compactsAt, agedResults }: ContextUsage,
  groups: readonly Row[],
  used: number,
): readonly Row[] {
  const files = parts.flatMap(({ name, tokens }) =>
    name === undefined ? [] : [{ sign: " ", label: `  ${oneLine(name, MAX_NAME)}`, tokens }],
  )
  const aged = `${agedResults} older ${agedResults === 1 ? "result is" : "results are"} replaced by a note`
  const noted = groups.map((row): Row =>
    row.label === "Tool results" && agedResults > 0 ? { ...row, note: aged } : row,
  )
  const at = noted.findIndex(({ label }) => label === "Instructions") + 1
  const limit = compactsAt === undefined ? {} : { note: `compacted at ${grouped(compactsAt)}` }
  const free: Row = { sign: freeSign, label: "Free", tokens: Math.max(0, window - used), ...limit }
  return [...noted.slice(0, at), ...files, ...noted.slice(at), free]
}

function table(lines: readonly Row[], window: number): readonly string[] {
  const width = Math.max(...lines.map(({ label }) => label.length))
  const numbers = Math.max(...lines.map(({ tokens }) => grouped(tokens).length))
  return lines.map(({ sign, label, tokens, note }) => {
    const cells = [
      `${sign} ${label.padEnd(width)}`,
      grouped(tokens).padStart(numbers),
      percent(tokens, window).padStart(6),
    ]
    return [...cells, ...(note === undefined ? [] : [note])].join("  ")
  })
}

function percent(part: number, whole: number): string {
  const share = (part / Math.max(1, whole)) * 100
  return `${share >= 10 || share === 0 ? Math.round(share) : share.toFixed(1)} %`
}

/** `12,345` */
function grouped(count: number): string {
  return count.toLocaleString("en")
}
