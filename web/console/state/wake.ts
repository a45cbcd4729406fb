// Says when this computer has slept, or when its network may be back: connections that died meanwhile report nothing.

const TICK_MS = 2000
/** A visible page is not delayed longer while the computer runs. */
const SLEPT_MS = 10_000

export function watchWake(onWake: () => void): void {
  let last = Date.now()
  const tick = () => {
    const now = Date.now()
    if (document.visibilityState === "visible" && now - last > SLEPT_MS) onWake()
    last = now
  }
  setInterval(tick, TICK_MS)
  addEventListener("online", onWake)
  addEventListener("pageshow", (event) => event.persisted && onWake())
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && onWake())
}
