// The clock of the machine: the same in every process, so that processes can compare times.

export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
