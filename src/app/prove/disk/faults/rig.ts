// What makes the disk of one home fail: the host runs under it.
import type { LaneHome } from "../../crash/lane-kind.ts"
import type { Surroundings } from "../host-life.ts"

export const faultKinds = ["limit", "sync", "full", "write", "read"] as const
export type FaultKind = (typeof faultKinds)[number]

export const faultTexts: Readonly<Record<FaultKind, string>> = {
  sync: "syncs of the log and the heads fail (EIO), and what was not synced is gone after the kill",
  write: "writes to the log fail (EIO or ENOSPC), and what was not synced is gone after the kill",
  read: "reads of the log fail (EIO), and what was not synced is gone after the kill",
  full: "the file system of the home is full",
  limit: "files of the log writer may not grow (file-size limit)",
}

export interface Rig extends Surroundings {
  /** The fault comes and goes by itself, at certain system calls. */
  readonly isByItself: boolean
  /** If everything is to be killed: at once, instead of after a while. */
  readonly killsSoon: boolean
  /** For a fault that does not come by itself. */
  begin(): void
  end(): void
  /** System calls that failed; 0 for a fault that does not come by itself. */
  readonly failedCalls: () => number
  /** All processes are killed. Leaves in the home what its disk would have. Returns the number of bytes that are lost. */
  settle(): Promise<number>
  /** Can be called twice. */
  close(): Promise<void>
}

export interface RigOptions {
  readonly home: LaneHome
  readonly below: (below: number) => number
  /** The fault lasts until the host is killed. */
  readonly isLasting: boolean
}

export type OpenRig = (options: RigOptions) => Promise<Rig>
