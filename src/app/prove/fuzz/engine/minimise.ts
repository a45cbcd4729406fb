// Makes the inputs of a finding fewer and shorter, as long as they still show it.

export interface MinimiseOptions {
  /** Whether a new world shows the finding with these inputs. */
  readonly shows: (inputs: readonly Uint8Array[]) => Promise<boolean>
  /** `performance.now()` after which nothing more is tried. */
  readonly deadline: number
}

/** Undefined when not even all of them show it again. */
export async function minimised(
  inputs: readonly Uint8Array[],
  options: MinimiseOptions,
): Promise<readonly Uint8Array[] | undefined> {
  const last = inputs.slice(-1)
  if (await options.shows(last)) return [await shortest(last, 0, options)]
  if (!(await options.shows(inputs))) return undefined
  const few = await without(inputs, options.shows, options.deadline)
  const short = [...few]
  for (const index of few.keys()) short[index] = await shortest(short, index, options)
  return short
}

async function shortest(inputs: readonly Uint8Array[], index: number, options: MinimiseOptions): Promise<Uint8Array> {
  const bytes = [...(inputs[index] ?? [])]
  const shows = (rest: readonly number[]) => options.shows(inputs.with(index, Uint8Array.from(rest)))
  return Uint8Array.from(await without(bytes, shows, options.deadline))
}

/** Leaves out ever smaller pieces. */
async function without<Item>(
  items: readonly Item[],
  shows: (items: readonly Item[]) => Promise<boolean>,
  deadline: number,
): Promise<readonly Item[]> {
  let rest = items
  for (let size = Math.ceil(rest.length / 2); size > 0; size = Math.floor(size / 2))
    for (let at = 0; at < rest.length;) {
      if (performance.now() > deadline) return rest
      const fewer = [...rest.slice(0, at), ...rest.slice(at + size)]
      if (fewer.length > 0 && (await shows(fewer))) rest = fewer
      else at += size
    }
  return rest
}
