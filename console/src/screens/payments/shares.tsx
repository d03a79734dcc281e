import type { Payment, Share } from '../../../../sdk/src/types'
import { DataTable } from '../../parts/data-table'
import { Money } from '../../parts/money'
import { toUnits } from '../../parts/money-format'
import { Card, Fact, Facts } from '../../parts/page'
import { Status } from '../../parts/status'
import { formatDay } from '../../parts/time-format'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { paymentTexts } from './texts'

const words = paymentTexts.shares

/** What sub-accounts got of the payment, what refunds took back, and what is left. */
export function Shares({ payment }: { payment: Payment }) {
  const { shares = [], currency } = payment
  if (shares.length === 0) return null
  const units = (amount: number | string) => toUnits(amount, currency)
  const sum = (part: 'amount' | 'fee' | 'takenBack') =>
    shares.reduce((total, share) => total + units(share[part]), 0n)
  const borne = units(payment.fee) - sum('fee')
  const left = units(payment.amountAccepted) - (sum('amount') - sum('takenBack')) - borne
  const wasRefunded = sum('takenBack') > 0n
  return (
    <Card title={words.title}>
      <DataTable
        caption={words.caption}
        list={{ rows: shares }}
        keyOf={({ reference }) => reference}
        empty={null}
        columns={[
          {
            name: 'who',
            head: words.who,
            isGrowing: true,
            phone: 1,
            cell: ({ subaccount }) => <SubaccountLink reference={subaccount} />,
          },
          {
            name: 'status',
            head: words.status,
            phone: 3,
            cell: (share) => <ShareStatus share={share} />,
          },
          {
            name: 'fee',
            head: words.fee,
            align: 'end',
            isWideOnly: true,
            isSoft: true,
            cell: ({ fee }) => <Money amount={fee} asset={currency} />,
          },
          {
            name: 'net',
            head: words.net,
            align: 'end',
            phone: 2,
            cell: ({ net }) => (
              <b>
                <Money amount={net} asset={currency} />
              </b>
            ),
          },
          ...(wasRefunded
            ? [
                {
                  name: 'back',
                  head: words.takenBack,
                  align: 'end' as const,
                  phone: 4 as const,
                  hasPhoneHead: true,
                  cell: ({ takenBack }: Share) => <Money amount={takenBack} asset={currency} />,
                },
              ]
            : []),
        ]}
      />
      <Facts>
        <Fact name={words.left}>
          <b>
            <Money amount={left} asset={currency} />
          </b>
        </Fact>
      </Facts>
      <p className="soft hint">{wasRefunded ? words.refundedHint : words.hint}</p>
    </Card>
  )
}

function ShareStatus({ share: { status, releaseAt } }: { share: Share }) {
  return (
    <>
      <Status of="share" value={status} />
      {status === 'PENDING' && releaseAt && (
        <span className="soft small no-wrap"> {words.until(formatDay(releaseAt))}</span>
      )}
    </>
  )
}
