// Prints rows: as tables for a terminal, or as the tables of docs/performance.md.
import type { Bound, Row, Spread } from "./report.ts"

const doorNames: Readonly<Record<string, string>> = {
  rpc: "stdio",
  ws: "WebSocket",
  "ws, Anthropic": "WS, Anthropic",
  house: "native",
  ipc: "session socket",
}
const columns = `${"".padEnd(50)}${"door".padEnd(15)}${"ours".padStart(10)}${"bare".padStart(10)}${"ratio".padStart(8)}  bound`

export function tableText(title: string, rows: readonly Row[], isQuiet: boolean): string {
  return [`\n${isQuiet ? "" : "~ "}${title}`, columns, ...rows.map(lineOf)].join("\n")
}

export function lineOf({ figure, door, unit, ours, bare, ratio, bound }: Row): string {
  const numbers = [short(ours.median), bare === undefined ? "" : short(bare.median)].map((text) => text.padStart(10))
  const ratioText = (ratio === undefined ? "" : `${ratio.toFixed(2)}x`).padStart(8)
  const name = `  ${figure}, ${unit}`.padEnd(50) + (doorNames[door] ?? door).padEnd(15)
  return `${name}${numbers.join("")}${ratioText}  ${boundText({ bound, bare })}${spreadText(ours)}`.trimEnd()
}

/** With several doors a column for each: ours, and after a slash bare. A missed target is bold. */
export function tableMarkdown(rows: readonly Row[], isQuiet: boolean): string {
  const doors = [...new Set(rows.map(({ door }) => door))]
  const mark = isQuiet ? "" : " ~"
  if (doors.length === 1) {
    const cells = rows.map((row) => [nameOf(row), ...figuresOf(row), spreadText(row.ours).trim(), targetText(row)])
    return markdown(["figure", `ours${mark}`, "bare", "10th to 90th percentile of ours", "target"], cells)
  }
  const names = [...new Set(rows.map(nameOf))]
  const cells = names.map((name) => {
    const same = rows.filter((row) => nameOf(row) === name)
    const byDoor = doors.map((door) =>
      figuresOf(same.find((row) => row.door === door))
        .filter(Boolean)
        .join(" / "),
    )
    return [name, ...byDoor, [...new Set(same.map(targetText))].join("; ")]
  })
  return markdown([`ours / bare${mark}`, ...doors.map((door) => doorNames[door] ?? door), "target"], cells)
}

function nameOf({ figure, unit }: Row): string {
  return `${figure}, ${unit}`
}

function figuresOf(row: Row | undefined): readonly [string, string] {
  if (row === undefined) return ["", ""]
  const ours = short(row.ours.median)
  return [row.bound?.isMet === false ? `**${ours}**` : ours, row.bare === undefined ? "" : short(row.bare.median)]
}

function targetText({ bound }: Row): string {
  return bound === undefined ? "" : limitText(bound)
}

/** Padded as the formatter of this repository does. */
export function markdown(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(3, title.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) => `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)].join("\n")
}

export function short(value: number): string {
  if (Number.isNaN(value)) return "-"
  if (value >= 1000) return Math.round(value).toLocaleString("en")
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)
}

function spreadText({ runs, p10, p90 }: Spread): string {
  return runs > 2 ? `  (${short(p10)}–${short(p90)})` : ""
}

function boundText({ bound, bare }: Pick<Row, "bound" | "bare">): string {
  if (bound === undefined) return ""
  const { bareAtMost = Infinity } = bound
  if (bare !== undefined && bare.median > bareAtMost) return `MISSED: bare itself takes more than ${bareAtMost}`
  return `${bound.isMet ? "met" : "MISSED"}: ${limitText(bound)}`
}

function limitText({ of, atMost, atLeast }: Bound): string {
  const what = { ratio: " x bare", more: " more than bare", alone: "" }[of]
  return `${atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`}${what}`
}
