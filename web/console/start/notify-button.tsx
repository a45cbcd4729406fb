// Lets a person be called by the system when something waits and the page is in the background.
import { notificationState, switchNotifications } from "../layout/notifications.ts"

export function NotifyButton() {
  const state = notificationState.value
  if (state === "absent") return null
  if (state === "blocked")
    return <p class="muted">Notifications are blocked for this page in the settings of the browser.</p>
  return (
    <button type="button" class="notify" aria-pressed={state === "on"} onClick={() => void switchNotifications()}>
      {state === "on" ? "Notifications are on" : "Notify me when something waits"}
    </button>
  )
}
