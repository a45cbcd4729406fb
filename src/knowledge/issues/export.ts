// Reads an export of GitHub issues: what `gh issue list --json …`, `gh pr list --json …` and the REST API (`gh api`) print,
// as one array, pages of arrays, or one object per line. Comments of the REST API are found by the address of their issue.
import { memberIn, textIn, tryParseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { SourceFault } from "../ingest/source-fault.ts"

export interface Issue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly isPullRequest: boolean
  /** In lower case. */
  readonly state: string | undefined
  readonly labels: readonly string[]
  readonly author: string | undefined
  readonly createdAt: string | undefined
  readonly url: string | undefined
  readonly comments: readonly IssueComment[]
}

export interface IssueComment {
  readonly author: string | undefined
  readonly createdAt: string | undefined
  readonly body: string
}

const MAX_ISSUES = 100_000
const MAX_COMMENTS = 5000
const advice =
  "Make it with: gh issue list --state all --limit 1000 --json number,title,state,labels,author,createdAt,url,body,comments"

/** Throws SourceFault, which says what is wrong with the file. */
export function readIssues(text: string): readonly Issue[] {
  const rows = rowsOf(text)
  const issues = rows.filter((row) => memberIn(row, "number") !== undefined)
  const comments = commentsByNumber(rows)
  if (issues.length === 0) throw new SourceFault(`it is JSON, but has no issues with a number and a title. ${advice}`)
  if (issues.length > MAX_ISSUES) throw new SourceFault(`it has more than ${MAX_ISSUES} issues. Export fewer of them.`)
  return issues.map((row, index) => issueOf(row, index, comments))
}

function rowsOf(text: string): readonly JsonValue[] {
  const whole = tryParseJson(text)
  if (whole !== undefined) return flat(whole)
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const rows = lines.map(tryParseJson)
  const bad = rows.indexOf(undefined)
  if (bad !== -1) throw new SourceFault(`it is neither JSON nor a JSON value in each line (line ${bad + 1}). ${advice}`)
  return rows.flatMap((row) => (row === undefined ? [] : flat(row)))
}

/** Pages of a list, as `gh api --paginate --slurp` prints them, become one list. */
function flat(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) return [value]
  return value.flatMap((one) => (Array.isArray(one) ? one : [one]))
}

function issueOf(row: JsonValue, index: number, others: ReadonlyMap<number, readonly IssueComment[]>): Issue {
  const number = memberIn(row, "number")
  const title = textIn(row, "title")
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0 || title === undefined)
    throw new SourceFault(`entry ${index + 1} has no number or title. ${advice}`)
  const listed = memberIn(row, "comments")
  const comments = Array.isArray(listed) ? listed.map(commentOf) : (others.get(number) ?? [])
  const url = textIn(row, "html_url") ?? textIn(row, "url")
  return {
    number,
    title,
    body: textIn(row, "body") ?? "",
    isPullRequest: memberIn(row, "pull_request") != null || (url?.includes("/pull/") ?? false),
    state: textIn(row, "state")?.toLowerCase(),
    labels: labelsOf(memberIn(row, "labels")),
    author: authorOf(row),
    createdAt: dayOf(row),
    url: url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined,
    comments: comments.slice(0, MAX_COMMENTS),
  }
}

/** Of the REST API: in a list of their own. */
function commentsByNumber(rows: readonly JsonValue[]): ReadonlyMap<number, readonly IssueComment[]> {
  const found = new Map<number, IssueComment[]>()
  for (const row of rows) {
    const number = Number(/\/issues\/(\d+)$/.exec(textIn(row, "issue_url") ?? "")?.[1])
    if (!Number.isSafeInteger(number)) continue
    const comments = found.get(number) ?? []
    found.set(number, comments)
    comments.push(commentOf(row))
  }
  return found
}

function commentOf(row: JsonValue): IssueComment {
  return { author: authorOf(row), createdAt: dayOf(row), body: textIn(row, "body") ?? "" }
}

function authorOf(row: JsonValue): string | undefined {
  return textIn(memberIn(row, "author"), "login") ?? textIn(memberIn(row, "user"), "login")
}

function dayOf(row: JsonValue): string | undefined {
  const at = textIn(row, "createdAt") ?? textIn(row, "created_at")
  return at !== undefined && /^\d{4}-\d{2}-\d{2}/.test(at) ? at.slice(0, 10) : undefined
}

function labelsOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((label) => (typeof label === "string" ? [label] : (textIn(label, "name") ?? [])))
}
