// The port over which a log is copied to another one, byte by byte, while no host uses either of them.
import type { Damage, LiveHost, Outcome, StoredLine } from "./event-log.ts"
import type { ChainHead, Page } from "./verified-read.ts"

/** A session as it is stored, without its events. Snapshots are made again: they only save time. */
export interface SessionRecord {
  readonly createdAt: number
  readonly updatedAt: number
  /** JSON. */
  readonly summary: string
  readonly org: string | undefined
  readonly owner: string | undefined
  /** It has unfinished work, and no living host owns it. */
  readonly isLeftOpen: boolean
  readonly visits: readonly StoredVisit[]
  readonly streamed: readonly StreamedPiece[]
}

export interface StoredVisit {
  readonly visitId: string
  readonly seq: number
}

/** Text of a step that has not ended. */
export interface StreamedPiece {
  readonly stepId: string
  readonly piece: string
  readonly hash: string
  readonly blocks: string
}

export interface SessionCopy {
  readonly head: ChainHead
  readonly record: SessionRecord
  /** Label of the nodes that can run it; kept only where sessions have places. */
  readonly place: string | undefined
  /** Seq of the newest event that is there already; 0: the session is new. */
  readonly afterSeq: number
}

export interface Inventory {
  readonly heads: readonly ChainHead[]
  /** Sessions whose directory entry cannot be read. */
  readonly damage: readonly Damage[]
}

export interface LogCopy {
  /** File, or host and database. */
  readonly name: string
  /** Keeps hosts out until `close`; returns those that run: then nothing is held. */
  hold(): Promise<Outcome<readonly LiveHost[]>>
  /** Whether no host can have written meanwhile. */
  isHeld(): Promise<Outcome<boolean>>

  inventory(): Promise<Outcome<Inventory>>
  /** Sessions of which acknowledged events are missing. */
  missing(): Promise<Outcome<readonly Damage[]>>
  record(sessionId: string): Promise<Outcome<SessionRecord>>
  /** Events after `afterSeq`, at least one, and none after `upTo`. */
  page(sessionId: string, afterSeq: number, upTo: number): Promise<Page>

  /** In one transaction. A refused page undoes it and is returned. */
  store(session: SessionCopy, pages: AsyncIterable<Outcome<readonly StoredLine[]>>): Promise<Outcome<void>>
  /** Call when a stored session was read back and verified. */
  confirm(sessionId: string): void
  close(): Promise<void>
}
