import './timeline.css'
import type { ReactNode } from 'react'
import type { IconName } from './icons'
import { Tile } from './page'
import type { Tone } from './status'
import { Time } from './time'

export type Step = {
  key: string
  icon: IconName
  tone?: Tone
  title: ReactNode
  at: string
  text?: ReactNode
  /** Below the text, such as the webhooks of the step. */
  more?: ReactNode
}

/** What happened, newest first. */
export function Timeline({ steps }: { steps: Step[] }) {
  return (
    <ol className="timeline">
      {steps.map(({ key, icon, tone = 'calm', title, at, text, more }) => (
        <li key={key}>
          <Tile icon={icon} tone={tone} />
          <div>
            <p className="row spread">
              <b>{title}</b>
              <span className="soft small">
                <Time value={at} show="moment" />
              </span>
            </p>
            {text && <p className="soft">{text}</p>}
            {more}
          </div>
        </li>
      ))}
    </ol>
  )
}
