// What becomes of a session in the target of a migration, decided by the newest events of both sides.
import type { ChainHead } from "../../log/verified-read.ts"

export type Plan =
  | { readonly kind: "copy"; readonly afterSeq: number }
  | { readonly kind: "unchanged" }
  | { readonly kind: "conflict"; readonly what: string }

/**
 * `hashAt`: the hash of an event of the source; undefined if it cannot be read. Equal hashes mean that all events up to there
 * are equal.
 */
export async function planOf(
  source: ChainHead,
  target: ChainHead | undefined,
  hashAt: (seq: number) => Promise<string | undefined>,
): Promise<Plan> {
  if (target === undefined) return { kind: "copy", afterSeq: 0 }
  if (target.seq > source.seq)
    return conflict(`the target has ${target.seq} events, the source only ${source.seq}: it was continued there`)
  if (target.seq === source.seq)
    return target.hash === source.hash ? { kind: "unchanged" } : conflict("it was continued differently on both sides")
  return (await hashAt(target.seq)) === target.hash
    ? { kind: "copy", afterSeq: target.seq }
    : conflict("it was continued differently on both sides")
}

function conflict(what: string): Plan {
  return { kind: "conflict", what }
}
