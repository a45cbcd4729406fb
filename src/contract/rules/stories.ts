// What the guided story of a page is known by: its sessions, and the calls that its steps are about.

/** Origin of the sessions that `create` makes for a story. */
export const storyOrigin = "story"

/** What the reader asks for. */
export const storyRequest = "Refunds are sometimes one cent too low. Find out why, fix it and push the fix."

export const storyPush = "git push origin main"
export const storyRemoteLog = "git --git-dir ../remote.git log --oneline main"
