// The process groups of children that live now. When this process exits without having closed them they are told to
// end; one that dies by a signal cannot do so, and its children see the end of their input.
const living = new Set<number>()
let isHooked = false

export function groupBegan(group: number): void {
  living.add(group)
  if (isHooked) return
  isHooked = true
  process.on("exit", () => {
    for (const left of living) signalGroup(left, "SIGTERM")
  })
}

export function groupEnded(group: number): void {
  living.delete(group)
}

/** A group that is not there any more, or that became somebody else's, is no fault. */
export function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? fault.code : undefined
    if (code !== "ESRCH" && code !== "EPERM") throw fault
  }
}
