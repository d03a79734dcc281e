import { commonTexts } from '../texts/common'
import './chart.css'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'

export type Point = {
  /** Such as a day; for the tooltip and the table. */
  label: string
  /** Height in the picture. Amounts are shown as `text`, never computed from this. */
  value: number
  text: string
  /** A second line of the tooltip. */
  note?: string
  /** The same bucket of the period before. */
  before?: { value: number; text: string }
}

type Props = {
  points: Point[]
  /** A sentence for people who cannot see the picture. */
  summary: string
  /** Names of the line and of the period before. */
  name: string
  beforeName?: string
  /** Labels of the vertical axis from `value`; none: no axis. */
  axis?: (value: number) => string
  /** Labels below, evenly spread. */
  ticks?: string[]
  isSmall?: boolean
  /** The value keeps until the next point, as a balance does. */
  isStepped?: boolean
}

const width = 600

/** A line over time. Arrow keys move the tooltip; the same figures are available as a table. */
export function LineChart(props: Props) {
  const { points, name, beforeName, axis, ticks, isSmall = false, isStepped = false } = props
  const [at, setAt] = useState<number | null>(null)
  const top = topOf(points)
  // A step is as wide as its bucket; a line goes from the first point to the last.
  const gaps = isStepped ? points.length : points.length - 1
  const xOf = (index: number) => (gaps < 1 ? width / 2 : (index * width) / gaps)
  const yOf = (value: number) => round(100 - (value / top) * 100)
  const lineOf = (values: number[]) =>
    values
      .map((value, index) => {
        const [x, y] = [round(xOf(index)), yOf(value)]
        if (index === 0) return `M${x} ${y}`
        return isStepped ? `H${x}V${y}` : `L${x} ${y}`
      })
      .join('')
      .concat(isStepped ? `H${width}` : '')
  const line = lineOf(points.map(({ value }) => value))
  const before = points.every((point) => point.before)
    ? lineOf(points.map((point) => point.before!.value))
    : undefined
  const shown = at === null ? undefined : points[at]
  const left = at === null ? 0 : (xOf(at) / width) * 100

  return (
    <WithTable {...props}>
      <Plot points={points} summary={props.summary} at={at} onMove={setAt} hasAxis={Boolean(axis)}>
        <div className={isSmall ? 'plot low' : 'plot'}>
          <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
            <defs>
              <linearGradient id="chart-area" x2="0" y2="1">
                <stop stopColor="var(--brass)" stopOpacity=".2" />
                <stop offset="1" stopColor="var(--brass)" stopOpacity="0" />
              </linearGradient>
            </defs>
            {axis &&
              [0, 25, 50, 75, 100].map((y) => (
                <line key={y} x1="0" x2={width} y1={y} y2={y} stroke="var(--hair)" />
              ))}
            {before && (
              <path
                d={before}
                stroke="var(--edge)"
                strokeOpacity=".7"
                strokeWidth="1.5"
                strokeDasharray="4 4"
              />
            )}
            {points.length > 1 && <path className="area" d={`${line}V100H0Z`} />}
            <path d={line} stroke="var(--brass)" strokeWidth="2" strokeLinejoin="round" />
            {at !== null && (
              <line
                x1={xOf(at)}
                x2={xOf(at)}
                y1="0"
                y2="100"
                stroke="var(--edge)"
                strokeOpacity=".5"
              />
            )}
          </svg>
          {axis &&
            [0.75, 0.5, 0.25].map((share) => (
              <span key={share} className="y-label" style={{ top: `${100 - share * 100}%` }}>
                {axis(top * share)}
              </span>
            ))}
          {shown && (
            <>
              <span className="dot" style={{ left: `${left}%`, top: `${yOf(shown.value)}%` }} />
              <Tip point={shown} left={left} top={yOf(shown.value)} />
            </>
          )}
        </div>
        {ticks && (
          <div className="x-labels" aria-hidden="true">
            {ticks.map((tick) => (
              <span key={tick}>{tick}</span>
            ))}
          </div>
        )}
      </Plot>
      {beforeName && (
        <>
          <span>
            <i />
            {name}
          </span>
          <span>
            <i className="dashed" />
            {beforeName}
          </span>
        </>
      )}
    </WithTable>
  )
}

type PlotProps = {
  points: Point[]
  summary: string
  at: number | null
  onMove: (at: number | null) => void
  hasAxis: boolean
  children: ReactNode
}

/** The part that pointers and arrow keys move in. The tooltip is also read out. */
function Plot({ points, summary, at, onMove, hasAxis, children }: PlotProps) {
  const last = points.length - 1
  const move = (event: PointerEvent<HTMLElement>) => {
    const plot = event.currentTarget.querySelector('.plot')!.getBoundingClientRect()
    const share = (event.clientX - plot.left) / plot.width
    onMove(Math.min(last, Math.max(0, Math.round(share * last))))
  }
  const press = (event: KeyboardEvent) => {
    const target: Record<string, number> = {
      ArrowLeft: Math.max(0, (at ?? points.length) - 1),
      ArrowRight: Math.min(last, (at ?? -1) + 1),
      Home: 0,
      End: last,
    }
    const next = target[event.key]
    if (next === undefined) return
    event.preventDefault()
    onMove(next)
  }
  const shown = at === null ? undefined : points[at]
  return (
    <div
      role="slider"
      aria-roledescription={commonTexts.chart}
      aria-label={summary}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={at ?? Math.max(last, 0)}
      aria-valuetext={shown ? `${shown.label}: ${shown.text}` : summary}
      aria-readonly="true"
      tabIndex={0}
      className={hasAxis ? 'gutter' : ''}
      onPointerMove={move}
      onPointerLeave={() => onMove(null)}
      onBlur={() => onMove(null)}
      onKeyDown={press}
    >
      {children}
    </div>
  )
}

function Tip({ point, left, top }: { point: Point; left: number; top: number }) {
  const side = left < 18 ? 'tooltip start' : left > 82 ? 'tooltip end' : 'tooltip'
  return (
    <span className={side} style={{ left: `${left}%`, top: `${top}%` }} aria-hidden="true">
      <b>{point.text}</b>
      <br />
      {[point.label, point.note].filter(Boolean).join(' · ')}
    </span>
  )
}

type TableProps = {
  points: Point[]
  name: string
  beforeName?: string
  isSmall?: boolean
  children: ReactNode
}

/** The picture or its table. The first child is the picture, the others are its key. */
function WithTable({ points, name, beforeName, isSmall, children }: TableProps) {
  const [isTable, setTable] = useState(false)
  const [picture, ...key] = Array.isArray(children) ? children : [children]
  const hasNotes = points.some(({ note }) => note)
  return (
    <figure>
      {isTable ? (
        <div className="scrolled" tabIndex={0} role="region" aria-label={name}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{commonTexts.day}</th>
                <th scope="col" className="align-end">
                  {name}
                </th>
                {beforeName && (
                  <th scope="col" className="align-end">
                    {beforeName}
                  </th>
                )}
                {hasNotes && (
                  <th scope="col">
                    <span className="hidden">{commonTexts.more}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.label}>
                  <td className="phone-1">{point.label}</td>
                  <td className="phone-2 align-end no-wrap">{point.text}</td>
                  {beforeName && (
                    <td className="phone-4 align-end no-wrap soft">{point.before?.text}</td>
                  )}
                  {hasNotes && <td className="phone-3 soft no-wrap">{point.note}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        picture
      )}
      <div className="legend" style={isSmall ? { marginTop: 6 } : {}}>
        {!isTable && key}
        <button type="button" className="link push-end small" onClick={() => setTable(!isTable)}>
          {isTable ? commonTexts.viewAsChart : commonTexts.viewAsTable}
        </button>
      </div>
    </figure>
  )
}

/** A round number above every value, so that the axis has round labels. */
function topOf(points: Point[]): number {
  const max = Math.max(1, ...points.flatMap(({ value, before }) => [value, before?.value ?? 0]))
  const step = 10 ** Math.floor(Math.log10(max))
  const factor = [1, 2, 4, 6, 8, 10].find((one) => one * step >= max) ?? 10
  return factor * step
}

const round = (value: number) => Math.round(value * 10) / 10
