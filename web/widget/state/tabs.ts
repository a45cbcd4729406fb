// Windows of one site that show the same conversation tell each other when it has changed: browsers report a change of the
// site's storage to its other windows.
import type { Memory } from "./memory.ts"

export interface Tabs {
  announce(): void
  leave(): void
}

export function joinTabs(memory: Memory, onChanged: () => void): Tabs {
  const stop = new AbortController()
  const listen = ({ key }: StorageEvent) => {
    if (key === memory.changesKey) onChanged()
  }
  addEventListener("storage", listen, stop)
  return { announce: () => memory.noteChange(), leave: () => stop.abort() }
}
