import './conversions.css'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Conversion } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { Reference, ResourceLink } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { Card, Fact, Facts, PageHead } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatRate } from './format-rate'
import { conversionTexts } from './texts'

const words = conversionTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/conversions/${reference}`
  const read = useRead<Conversion>('conversion', path)
  return (
    <ResourcePage path={path} read={read} heights={[320]} isWide>
      {(conversion) => <ConversionPage conversion={conversion} />}
    </ResourcePage>
  )
}

function ConversionPage({ conversion }: { conversion: Conversion }) {
  const mayConvert = useMay('payouts.create')
  const { reference, from, to, sourceAmount, targetAmount, fee, rate, quote } = conversion
  const { transferReference } = conversion
  const title = `${formatMoney(sourceAmount, from)} → ${formatMoney(targetAmount, to)}`
  useEffect(
    () => noteRecent({ path: `/balances/conversions/${reference}`, title }),
    [reference, title],
  )
  return (
    <>
      <PageHead
        parent={{
          to: '/balances/conversions',
          label: conversionTexts.title,
          current: <Reference value={reference} />,
        }}
        title={
          <>
            <Money amount={sourceAmount} asset={from} /> <span className="arrow">→</span>{' '}
            <Money amount={targetAmount} asset={to} />
          </>
        }
        tab={title}
        beside={<Status of="conversion" value={conversion.status} />}
        actions={
          mayConvert && (
            <Button icon="swap" to={`/balances/convert?from=${from}&to=${to}`}>
              {words.again}
            </Button>
          )
        }
      />
      <div className="with-aside wide-aside">
        <JsonCard title={words.conversion} value={conversion} words={words}>
          <Facts>
            <Fact name={words.paid}>
              <b>
                <Money amount={sourceAmount} asset={from} />
              </b>
            </Fact>
            <Fact name={words.fee}>
              <Money amount={fee} asset={from} />
            </Fact>
            <Fact name={words.rate}>{formatRate(rate, from, to)}</Fact>
            <Fact name={words.got}>
              <b>
                <Money amount={targetAmount} asset={to} />
              </b>
            </Fact>
            <Fact name={words.transfer}>
              {transferReference && (
                <ResourceLink to={`/payouts/${transferReference}`} reference={transferReference} />
              )}
            </Fact>
            <Fact name={words.quote}>{quote && <Reference value={quote} />}</Fact>
            <Fact name={words.made}>
              <Time value={conversion.createdAt} />
            </Fact>
          </Facts>
        </JsonCard>
        <Card title={words.statement} layout="form">
          <p className="soft small">{words.statementText}</p>
          <div className="row wrap">
            {[from, to].map((asset) => (
              <Button
                key={asset}
                size="small"
                to={`/balances?asset=${asset}&reference=${reference}&period=all`}
              >
                {words.open(conversionTexts.names[asset])}
              </Button>
            ))}
          </div>
        </Card>
      </div>
    </>
  )
}
