/** Resolves when changes of signals are on the page. */
export function afterRender(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => resolve())
  })
}
