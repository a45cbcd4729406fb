// Keys that lead to other sessions.
import { openPicker } from "../overlays/picker/picker.ts"
import type { ScreenControl } from "./control.ts"

/** From an agent back to the session that started it. */
export function openParent(screen: ScreenControl): void {
  const parentId = screen.state.session?.status.parentId
  if (parentId === undefined) return screen.notify("info", "This session was not started by another one.")
  screen.start(() => screen.openSession(parentId))
}

export function chooseSession(screen: ScreenControl): void {
  openPicker(screen)
}
