// How long something took, in milliseconds with one digit.

export async function timed<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly ms: number }> {
  const startedAt = performance.now()
  const value = await work()
  return { value, ms: Math.round((performance.now() - startedAt) * 10) / 10 }
}
