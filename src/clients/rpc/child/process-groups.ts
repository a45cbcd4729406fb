// Process groups of running children. They get SIGTERM when this process exits without closing them. If it dies by a
// signal, the children see the end of their input instead.
const running = new Set<number>()
let hasExitHandler = false

export function addGroup(group: number): void {
  running.add(group)
  if (hasExitHandler) return
  hasExitHandler = true
  process.on("exit", () => {
    for (const left of running) signalGroup(left, "SIGTERM")
  })
}

export function removeGroup(group: number): void {
  running.delete(group)
}

/** Ignores a group that no longer exists or now belongs to another user. */
export function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? fault.code : undefined
    if (code !== "ESRCH" && code !== "EPERM") throw fault
  }
}
