// What was written and not sent, kept for each session while the tab is open, also over a reload.

const PREFIX = "turnhouse.draft."
const MAX_LENGTH = 100_000

export function keptDraft(sessionId: string): string {
  return sessionStorage.getItem(PREFIX + sessionId) ?? ""
}

export function keepDraft(sessionId: string, text: string): void {
  if (text === "") sessionStorage.removeItem(PREFIX + sessionId)
  else if (text.length <= MAX_LENGTH) sessionStorage.setItem(PREFIX + sessionId, text)
}
