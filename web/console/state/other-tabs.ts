// The tabs of one browser share its sign-in: what one of them does with it, the others follow at once. Browsers report a
// change of the page's storage to its other tabs.

export type SignInChange = "signed-in" | "signed-out"

const KEY = "turnhouse.sign-in"

/** With the time, because the same value twice is no change. */
export function tellOtherTabs(change: SignInChange): void {
  localStorage.setItem(KEY, `${change} ${Date.now()}`)
}

export function onOtherTab(follow: (change: SignInChange) => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    const [change] = key === KEY ? (newValue ?? "").split(" ") : []
    if (change === "signed-in" || change === "signed-out") follow(change)
  })
}
