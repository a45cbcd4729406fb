// A hook that an extension looks at, in a word.
import type { Subscription } from "../../hooks/discovery/manifest.ts"

export function hookLabel({ kind, tool }: Subscription): string {
  return tool === undefined ? kind : `${kind}(${tool})`
}
