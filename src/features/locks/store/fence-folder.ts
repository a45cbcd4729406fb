// Path of the hold files. A separate module, so that settings need not load the lock store.

/** Beside the lock file; commands may read it and must not write there. */
export function fenceFolder(lockFile: string): string {
  return `${lockFile}.fence`
}
