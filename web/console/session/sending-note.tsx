// Says that an answer or a prompt is on its way, and what it waits for.
import { useConsole } from "../state/console.ts"

/** `what`: `Your answer`. Nothing for a short wait. */
export function SendingNote({ what }: { readonly what: string }) {
  const isLost = useConsole().connection.lostSince.value !== undefined
  return (
    <p class="muted sending late" role="status">
      {isLost ? `The server cannot be reached. ${what} is sent when it is back.` : `${what} is being sent …`}
    </p>
  )
}
