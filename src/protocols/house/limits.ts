// Limits of one connection of the house wire, and the versions that a host speaks: its own and the previous one. A
// client that is refused may send hello again with an older version, on the same connection.
export const houseLimits = {
  /** Bytes of one line, a prompt with its attachments included. A longer line is refused with `frame.bad`. */
  lineBytes: 32 * 1024 * 1024,
  /** Unread bytes. Past it updates of sessions pause; when the client has read, they continue from its cursors. */
  outboxBytes: 1024 * 1024,
  /** Bytes of replies kept beyond that: a client that sends requests and reads nothing is disconnected. */
  repliesBytes: 16 * 1024 * 1024,
  /** How long a client may leave a full outbox unread before it is disconnected. */
  stalledMs: 10 * 60 * 1000,
  /** Requests in progress. Past it nothing more is read from the client until one is answered. */
  concurrentRequests: 256,
  /** How long a client that is disconnected has to read the reason. */
  closeMs: 10_000,
  /** How long a client that needs a key may take to send hello. */
  helloMs: 10_000,
  /** How often a key is checked for expiry and revocation. */
  keyCheckMs: 250,
} as const

export type HouseLimits = { readonly [Limit in keyof typeof houseLimits]: number }

/** Newest first: a new version and the one before it. */
export const houseVersions: readonly number[] = [1]

/** Why the host does not speak a version; undefined if it does. */
export function versionProblem(version: number, versions: readonly number[] = houseVersions): string | undefined {
  if (versions.includes(version)) return undefined
  const [newest, before] = versions
  const spoken = before === undefined ? `version ${newest}` : `versions ${newest} and ${before}`
  return `this host speaks ${spoken} of the house wire, not ${version}`
}
