// Shown until the first connection is made.
import { useEffect, useState } from "preact/hooks"
import type { ConnectionState } from "../state/connection.ts"

/** A shorter wait is not worth a sentence. */
const PATIENCE_MS = 300

export function Waiting({
  state,
}: {
  readonly state: Extract<ConnectionState, { kind: "connecting" | "unreachable" }>
}) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <main class="waiting" aria-live="polite">
      {state.kind === "unreachable" && (
        <p>
          The server does not answer. Is <code>turnhouse serve</code> running? Trying again every 2 seconds.
        </p>
      )}
      {state.kind === "connecting" && isLate && <p>Connecting to {location.host} …</p>}
    </main>
  )
}
