// Horizontal bars with a name and a value each, the longest first.

export interface Bar {
  readonly name: string
  readonly value: number
  /** The value as people read it, with what else is known. */
  readonly text: string
  readonly href?: string
}

export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const sorted = bars.toSorted((one, other) => other.value - one.value)
  const longest = sorted[0]?.value ?? 0
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ul class="bars">
        {sorted.map(({ name, value, text, href }) => (
          <li key={href ?? name}>
            <span class="bar-name">{href === undefined ? name : <a href={href}>{name}</a>}</span>
            <span class="bar-text">{text}</span>
            <meter min={0} max={longest === 0 ? 1 : longest} value={value} aria-label={`${name}: ${text}`} />
          </li>
        ))}
      </ul>
    </figure>
  )
}
