import { type ReactNode, useEffect } from 'react'
import { useScope } from '../../api/scope'
import { useMembership } from '../../api/session'
import { Button } from '../../parts/button'
import { Mark } from '../../parts/icons'
import { balanceTexts } from './texts'

const words = balanceTexts.printed

type Props = {
  title: string
  /** Where it came from; by default the balances. */
  back?: { to: string; label: string }
  children?: ReactNode
}

const balances = { to: '/balances', label: words.back }

/** Head of a page to print; browsers name the file after the title. */
export function PrintedHead({ title, back = balances, children }: Props) {
  const { mode } = useScope()
  const membership = useMembership()
  useEffect(() => {
    document.title = `${title} · ${membership?.name ?? 'Manilla'}`
  }, [title, membership])
  return (
    <div className="page-head">
      <div>
        <p className="row bold">
          <Mark /> {membership?.name}
        </p>
        <h1>{title}</h1>
        {children}
        {mode === 'test' && <p className="bold">{words.test}</p>}
      </div>
      <div className="actions">
        <Button icon="left" to={back.to}>
          {back.label}
        </Button>
        <Button kind="primary" icon="print" onClick={() => window.print()}>
          {words.print}
        </Button>
      </div>
    </div>
  )
}
