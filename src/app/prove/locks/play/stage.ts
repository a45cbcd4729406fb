// Where a history of locks is played: simulated or real processes that share one lock table, and their time.
import type { LockAnswer, LockCommand } from "./lock-commands.ts"

export interface StagedProcess {
  readonly name: string
  /** Undefined if the process dies before it answers. `onQueued`: of a call that has to wait, with the holder it waits for and the time. */
  perform(command: LockCommand, onQueued?: (by: string, at: number) => void): Promise<LockAnswer | undefined>
  freeze(): void
  thaw(): void
  /** Without a chance to do anything. */
  kill(): Promise<void>
}

export interface Stage {
  /** How much faster than the clock of the stage the leases of locks run. */
  readonly speed: number
  /** How late a renewal may be in a process that is not frozen, by the clock of the stage. */
  readonly lateMs: number
  /** No process dies in the middle of a change. */
  readonly hasCertainFiles: boolean
  /** Milliseconds; the same clock for all processes, never set. */
  now(): number
  pause(ms: number): Promise<void>
  start(): Promise<StagedProcess>
  /** The history is over: nothing of the process may be left in the table. */
  dismiss(process: StagedProcess): Promise<void>
  /** Sets the wall clock of all processes. */
  setClock(offsetMs: number): void
  /** When another process first found that nothing of a dead one runs any more; undefined if none has. */
  freedAt(process: string): number | undefined
  /** Times in which a process was not at work although it was not frozen on purpose. */
  stallsOf(process: string): readonly Stall[]
  /** Of each lock, by kind and scope: the numbers under which tools have acted, in their order. */
  effects(): Promise<ReadonlyMap<string, readonly number[]>>
}

export interface Stall {
  readonly from: number
  readonly until: number
}
