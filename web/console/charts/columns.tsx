// A chart of stacked columns over time, as SVG. Values are also in a table for people who cannot see it.

export interface Series {
  readonly name: string
  /** One value for each column. */
  readonly values: readonly number[]
}

export interface ColumnsProps {
  readonly title: string
  /** Of each column, for its tooltip and the table. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
}

const WIDTH = 320
const HEIGHT = 96
const GAP = 1
/** Columns that fill the width. Fewer are not drawn wider. */
const MIN_COLUMNS = 16

export function Columns({ title, labels, series, format }: ColumnsProps) {
  const sums = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const top = Math.max(...sums, 0)
  const step = WIDTH / Math.max(MIN_COLUMNS, labels.length)
  return (
    <figure class="chart">
      <figcaption>
        {title} <span class="muted">up to {format(top)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${labels.length} columns, up to ${format(top)}`}
      >
        {labels.map((label, at) => (
          <g key={label}>
            <title>{tooltip(label, series, at, format)}</title>
            {stack(series, at, top).map(({ name, from, height, index }) => (
              <rect
                key={name}
                class={`series-${index % 6}`}
                x={at * step}
                y={HEIGHT - from - height}
                width={Math.max(0.5, step - GAP)}
                height={height}
              />
            ))}
          </g>
        ))}
      </svg>
      <p class="chart-range muted">{rangeText(labels)}</p>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name }, index) => (
            <li key={name}>
              <svg class="key" viewBox="0 0 8 8" aria-hidden="true">
                <rect class={`series-${index % 6}`} width="8" height="8" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Values</summary>
        <ValueTable labels={labels} series={series} format={format} />
      </details>
    </figure>
  )
}

function rangeText(labels: readonly string[]): string {
  const [first = "", last = ""] = [labels[0], labels.at(-1)]
  return first === last ? first : `${first} to ${last}`
}

function ValueTable({ labels, series, format }: Omit<ColumnsProps, "title">) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">time</th>
          {series.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label, at) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{format(values[at] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function stack(series: readonly Series[], at: number, top: number) {
  let from = 0
  return series.map(({ name, values }, index) => {
    const height = top === 0 ? 0 : ((values[at] ?? 0) / top) * HEIGHT
    const part = { name, from, height, index }
    from += height
    return part
  })
}

function tooltip(label: string, series: readonly Series[], at: number, format: ColumnsProps["format"]): string {
  const values = series.filter(({ values: all }) => (all[at] ?? 0) > 0)
  return [label, ...values.map(({ name, values: all }) => `${name}: ${format(all[at] ?? 0)}`)].join("\n")
}
