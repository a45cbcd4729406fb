// The file history of a home, loaded before the first call that can change files.
import type { FileHistorySource } from "../../runner/session-context.ts"

export function openFileHistory(home: string): FileHistorySource {
  const load = async () => {
    const { FileHistory } = await import("../../features/undo/store/file-history.ts")
    return new FileHistory(home)
  }
  let loading: ReturnType<typeof load> | undefined
  return { load: () => (loading ??= load()) }
}
