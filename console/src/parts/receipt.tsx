import './receipt.css'
import { type ReactNode, useEffect } from 'react'
import { useScope } from '../api/scope'
import { useMembership } from '../api/session'
import { Button } from './button'
import { Mark } from './icons'
import { Money } from './money'
import type { Amount, Asset } from './money-format'
import { Fact, Facts } from './page'
import { ErrorPage } from './refusals'
import { Status } from './status'

type Props<Data> = {
  reference: string
  read: { data: Data | null | undefined; error: unknown; refetch: () => unknown }
  /** The page of the payment or payout. */
  back: { to: string; label: string }
  words: { title: string; print: string; test: string; made: string; merchant: string }
  amountOf: (data: Data) => { amount: Amount; asset: Asset; status: string }
  /** The facts below the merchant. */
  children: (data: Data) => ReactNode
}

/** A page to print or to save as PDF. */
export function Receipt<Data>({ reference, read, back, words, amountOf, children }: Props<Data>) {
  const { data, error, refetch } = read
  const membership = useMembership()
  const { mode } = useScope()
  useEffect(() => {
    document.title = `${words.title} ${reference}`
  }, [words.title, reference])
  if (error && !data)
    return (
      <main className="receipt">
        <ErrorPage error={error} retry={() => void refetch()} />
      </main>
    )
  if (!data) return null
  const { amount, asset, status } = amountOf(data)
  return (
    <main className="receipt">
      <div className="actions row">
        <Button icon="left" to={back.to}>
          {back.label}
        </Button>
        <Button kind="primary" icon="print" onClick={() => window.print()}>
          {words.print}
        </Button>
      </div>
      <section className="card">
        <div className="card-head">
          <h1>{words.title}</h1>
          <b>{membership?.name}</b>
        </div>
        <div className="padded">
          <p className="figure">
            <Money amount={amount} asset={asset} />
          </p>
          <Status value={status} />
        </div>
        <Facts>
          <Fact name={words.merchant}>{membership?.name}</Fact>
          {children(data)}
        </Facts>
        {mode === 'test' && <p className="band">{words.test}</p>}
        <p className="maker">
          <Mark /> {words.made}
        </p>
      </section>
    </main>
  )
}
