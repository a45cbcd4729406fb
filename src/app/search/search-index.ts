// The search index of a home: the stored texts of all sessions.
import { join } from "node:path"
import type { Recorded, SessionEvent } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { FoundSession } from "../../contract/views/session-lists.ts"
import type { EventLog } from "../../log/event-log.ts"
import { accepted } from "../app-fault.ts"
import { forgetIn, type Progress, SessionIndex } from "./session-index.ts"

type Match = FoundSession["matches"][number]

export interface FoundText extends Match {
  readonly sessionId: string
}

/** Characters of one text that are indexed. */
const MAX_TEXT = 100_000
/** Texts that are ranked; the best of each session is shown. */
const MAX_FOUND = 2000
const MAX_WORDS = 20

export class SearchIndex extends SessionIndex {
  constructor(home: string) {
    super(
      fileIn(home),
      "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, sessionId UNINDEXED, seq UNINDEXED, at UNINDEXED, kind UNINDEXED);",
    )
  }

  /** Best first, of sessions that are allowed. All words must occur; the last one may be the beginning of a word. */
  find(text: string, isAllowed: (sessionId: string) => boolean = () => true): readonly FoundText[] {
    const words = text
      .split(/\s+/)
      .filter((word) => word !== "")
      .slice(0, MAX_WORDS)
    if (words.length === 0) return []
    const query = `${words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ")}*`
    const rows = this.db
      .prepare(
        `SELECT sessionId, seq, at, kind, snippet(texts, 0, '', '', '…', 24) AS snippet
         FROM texts WHERE texts MATCH ? ORDER BY rank`,
      )
      .iterate(query)
    const found: FoundText[] = []
    for (const row of rows) {
      const sessionId = String(row["sessionId"])
      const kind = kindOf(row["kind"])
      if (kind === undefined || !isAllowed(sessionId)) continue
      found.push({
        sessionId,
        seq: Number(row["seq"]),
        at: Number(row["at"]),
        kind,
        snippet: String(row["snippet"]),
      })
      if (found.length === MAX_FOUND) break
    }
    return found
  }

  protected override store(sessionId: SessionId, events: readonly Recorded[]): void {
    const insert = this.db.prepare("INSERT INTO texts (text, sessionId, seq, at, kind) VALUES (?, ?, ?, ?, ?)")
    for (const { seq, at, event } of events) {
      const found = textOf(event)
      if (found !== undefined) insert.run(found.text.slice(0, MAX_TEXT).toWellFormed(), sessionId, seq, at, found.kind)
    }
  }

  protected override remove(sessionId: string): void {
    this.db.prepare("DELETE FROM texts WHERE sessionId = ?").run(sessionId)
  }
}

function textOf(event: SessionEvent): { readonly kind: Match["kind"]; readonly text: string } | undefined {
  switch (event.type) {
    case "prompt.admitted":
      return { kind: "prompt", text: event.text }
    case "text.ended":
      return { kind: "answer", text: event.text }
    case "tool.called":
      return { kind: "call", text: `${event.tool} ${JSON.stringify(event.input)}` }
    case "tool.ended":
      return { kind: "output", text: event.output }
    default:
      return undefined
  }
}

function kindOf(value: unknown): Match["kind"] | undefined {
  return value === "prompt" || value === "answer" || value === "call" || value === "output" ? value : undefined
}

function fileIn(home: string): string {
  return join(home, "search.db")
}

export function forgetInSearch(home: string, sessionId: SessionId): void {
  forgetIn(fileIn(home), sessionId, () => new SearchIndex(home))
}

export async function searchTexts(
  home: string,
  log: EventLog,
  text: string,
  onProgress: Progress,
): Promise<readonly FoundText[]> {
  using index = new SearchIndex(home)
  await index.update(log, accepted(await log.list()).value, onProgress)
  return index.find(text)
}
