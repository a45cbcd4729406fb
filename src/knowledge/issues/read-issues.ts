// Documents of an export of issues: one for each issue, with its state, labels and comments.
import { createHash } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { basename, extname } from "node:path"
import { TextDecoder } from "node:util"
import { systemCode } from "../../contract/faults.ts"
import { extractLimits } from "../extract/extract-limits.ts"
import { SourceFault } from "../ingest/source-fault.ts"
import type { Source } from "../ingest/source.ts"
import type { Reading, ReadingContext } from "../sources/reading.ts"
import type { RegisteredSource } from "../sources/registry.ts"
import { readIssues, type Issue, type IssueComment } from "./export.ts"

type IssueSource = Pick<RegisteredSource, "root">

export function readIssueExport(source: IssueSource, { signal }: Pick<ReadingContext, "signal">): Reading {
  async function* documents(): AsyncGenerator<Source> {
    const issues = await issuesIn(source.root)
    for (const issue of issues.values()) {
      signal.throwIfAborted()
      yield documentOf(source, issue)
    }
  }
  return { documents: documents(), end: () => ({ isComplete: true }) }
}

/** By name of the document: an issue that is exported twice counts once, as it stands last. */
async function issuesIn(path: string): Promise<ReadonlyMap<string, Issue>> {
  try {
    const issues = readIssues(await textOf(path))
    return new Map(issues.map((issue) => [nameOf(path, issue), issue]))
  } catch (fault) {
    if (fault instanceof SourceFault) throw new SourceFault(`${path} cannot be used: ${fault.message}`)
    throw fault
  }
}

async function textOf(path: string): Promise<string> {
  const { size } = await stat(path).catch((fault: unknown) => {
    throw new SourceFault(systemCode(fault) === "ENOENT" ? "it does not exist" : `it cannot be read: ${String(fault)}`)
  })
  if (size > extractLimits.fileBytes)
    throw new SourceFault(
      `it has ${Math.ceil(size / 1024 / 1024)} MiB; ${extractLimits.fileBytes / 1024 / 1024} MiB can be read. Export fewer issues into each file.`,
    )
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path))
  } catch (fault) {
    throw new SourceFault(`it cannot be read: ${fault instanceof TypeError ? "it is not UTF-8" : String(fault)}`)
  }
}

/** `owner/repo#12`, or with the name of the file where an issue has no address. */
function nameOf(path: string, { number, url }: Issue): string {
  const parts = url === undefined ? [] : new URL(url).pathname.split("/").filter((part) => part !== "")
  const [owner, repository, kind] = parts
  const isUsual = parts.length === 4 && (kind === "issues" || kind === "pull")
  return isUsual ? `${owner}/${repository}#${number}` : `${basename(path, extname(path))}#${number}`
}

function documentOf({ root }: IssueSource, issue: Issue): Source {
  const text = issueText(issue)
  const hash = createHash("sha256").update(text).digest("hex")
  return {
    name: nameOf(root, issue),
    place: `${root}#${issue.number}`,
    root,
    url: issue.url,
    mark: async () => ({ hash, bytes: Buffer.byteLength(text) }),
    async *text() {
      yield text
    },
  }
}

function issueText(issue: Issue): string {
  const { title, body, number, state, labels, author, createdAt, comments, isPullRequest } = issue
  const facts = [
    `${isPullRequest ? "Pull request" : "Issue"} ${number}`,
    ...(state === undefined ? [] : [`state: ${state}`]),
    ...(labels.length === 0 ? [] : [`labels: ${labels.map(inLine).join(", ")}`]),
    ...byline(author, createdAt),
  ]
  return [`# ${inLine(title)}`, facts.join(" · "), body.trim(), ...comments.map(commentText)]
    .join("\n\n")
    .toWellFormed()
}

function commentText({ author, createdAt, body }: IssueComment): string {
  return `## ${["Comment", ...byline(author, createdAt)].join(" ")}\n\n${body.trim()}`
}

function byline(author: string | undefined, createdAt: string | undefined): readonly string[] {
  const by = [author === undefined ? "" : `by ${inLine(author)}`, createdAt ?? ""].filter((part) => part !== "")
  return by.length === 0 ? [] : [by.join(", ")]
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}
