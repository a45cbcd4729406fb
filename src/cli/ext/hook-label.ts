// A short name for a hook subscription.
import type { Subscription } from "../../hooks/discovery/manifest.ts"

export function hookLabel({ kind, tool }: Subscription): string {
  return tool === undefined ? kind : `${kind}(${tool})`
}
