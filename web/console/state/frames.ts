// Work that is drawn: once per frame while the page is visible, a few times a second while it is not.

const HIDDEN_MS = 250

export function nextFrame(work: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(work, HIDDEN_MS)
  else requestAnimationFrame(work)
}
