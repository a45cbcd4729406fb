// What every door declares: an error table that covers all refusal codes, its limits, and how it is opened. The module
// is loaded when the door is first used, so that no process pays for doors that it does not open.
import type { RefusalCode } from "../../contract/text/describe-refusal.ts"

export interface DoorModule {
  /** What the protocol makes of each refusal: a text, a code, or both. */
  readonly errors: Readonly<Record<RefusalCode, unknown>>
  readonly limits: object
  readonly open: (...args: never[]) => unknown
}

export interface Door<Module extends DoorModule> {
  /** What the door is called in documents for users. */
  readonly title: string
  readonly load: () => Promise<Module>
}

export type LoadedDoor<One extends { readonly load: () => Promise<DoorModule> }> = Awaited<ReturnType<One["load"]>>

export function defineDoor<Module extends DoorModule>(door: Door<Module>): Door<Module> {
  return door
}
