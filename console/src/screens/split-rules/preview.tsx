import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SplitPreview } from '../../../../sdk/src/types'
import { call } from '../../api/call'
import { type ApiRefusal, toRefusal } from '../../api/refusal'
import { useScope } from '../../api/scope'
import { DataTable } from '../../parts/data-table'
import { SelectField } from '../../parts/fields'
import { Money } from '../../parts/money'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { Card, Note } from '../../parts/page'
import { formatDay } from '../../parts/time-format'
import { useSettled } from '../../parts/use-settled'
import { SubaccountLink, useSubaccountName } from '../subaccounts/subaccount-link'
import { splitTexts } from './texts'

const words = splitTexts.preview

/** A rule or lines, as the API takes them; null while they are incomplete. */
export type Splits = object | null

/** What people try first: ₦10,000 or 100 coins. */
const firstAmounts: Record<Asset, bigint> = {
  NGN: 1_000_000n,
  USDC: 100_000_000n,
  USDT: 100_000_000n,
}

/** The asset and amount that a preview divides. A rule without an asset can be tried in each. */
export function useTried(ruleAsset: Asset | null) {
  const [chosen, setChosen] = useState<Asset>('NGN')
  const asset = ruleAsset ?? chosen
  const [amounts, setAmounts] = useState<Record<Asset, bigint | null>>(firstAmounts)
  return {
    asset,
    amount: amounts[asset],
    isAnyAsset: ruleAsset === null,
    setAsset: setChosen,
    setAmount: (amount: bigint | null) => setAmounts({ ...amounts, [asset]: amount }),
  }
}

type Tried = ReturnType<typeof useTried>

/** Divides the amount when the typing pauses, by the computation that divides payments. */
export function usePreview(splits: Splits, { asset, amount }: Pick<Tried, 'asset' | 'amount'>) {
  const { merchant, mode } = useScope()
  const isReady = splits !== null && amount !== null && amount > 0n
  const body = isReady ? { asset, amount: toWire(amount, asset), splits } : null
  const text = JSON.stringify(body)
  const settled = useSettled(text)
  const { data, error } = useQuery<SplitPreview>({
    queryKey: [merchant, mode, 'split preview', settled],
    enabled: settled !== 'null',
    retry: false,
    // Sub-accounts may have been closed since.
    staleTime: 0,
    // The table must not jump while a figure is typed.
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<SplitPreview>('/v1/splits/preview', {
        method: 'POST',
        body: JSON.parse(settled),
        signal,
      }),
  })
  const isComplete = text !== 'null' && settled !== 'null'
  return {
    preview: isComplete && !error ? data : undefined,
    refusal: isComplete && error ? toRefusal(error) : null,
    isComplete,
  }
}

type Props = {
  tried: Tried
  divided: { preview: SplitPreview | undefined; refusal: ApiRefusal | null; isComplete: boolean }
}

export function PreviewCard({ tried, divided }: Props) {
  const { preview, refusal, isComplete } = divided
  return (
    <Card title={words.title}>
      <div className="padded no-top-padding two-columns">
        <MoneyInput
          key={tried.asset}
          asset={tried.asset}
          label={words.amount}
          value={tried.amount}
          error={refusal?.issueOf('amount')}
          onChange={tried.setAmount}
        />
        {tried.isAnyAsset && (
          <SelectField
            label={words.asset}
            options={['NGN', 'USDC', 'USDT']}
            value={tried.asset}
            onChange={tried.setAsset}
          />
        )}
      </div>
      <div role="status">
        {!isComplete && <p className="soft hint">{words.incomplete}</p>}
        {isComplete && !preview && !refusal && <p className="soft hint">{words.computing}</p>}
        {refusal && (
          <div className="padded no-top-padding">
            <Note tone="bad" title={words.refused}>
              {refusal.details.map((detail) => (
                <p key={detail.field} className="small">
                  {describeRefusal(detail.field, refusal)}
                </p>
              ))}
            </Note>
          </div>
        )}
        {preview && <Divided preview={preview} />}
      </div>
    </Card>
  )
}

/** `Line 2: brings all percentages to 110; they must not exceed 100`. */
function describeRefusal(field: string, refusal: ApiRefusal): string {
  const [, index] = /lines\.(\d+)/.exec(field) ?? []
  const issue = refusal.issueOf(field) ?? refusal.sentence
  return index === undefined ? issue : `${splitTexts.form.line(Number(index) + 1)}: ${issue}`
}

type Row = {
  key: string
  /** Null: the merchant. */
  subaccount: string | null
  amount: number | string
  fee: number | string
  net: number | string
  releaseAt: string | null
}

function Divided({ preview }: { preview: SplitPreview }) {
  const { asset, fee, lines, merchant } = preview
  const rows: Row[] = [
    ...lines.map((line, index) => ({ key: String(index), ...line })),
    { key: 'merchant', subaccount: null, releaseAt: null, ...merchant },
  ]
  const hasFees = lines.some((line) => toUnits(line.fee, asset) > 0n)
  return (
    <>
      <DataTable
        caption={words.caption}
        list={{ rows }}
        keyOf={({ key }) => key}
        empty={null}
        columns={[
          {
            name: 'who',
            head: words.who,
            isGrowing: true,
            phone: 1,
            cell: ({ subaccount, releaseAt }) => (
              <>
                {subaccount === null ? (
                  <b>{words.you}</b>
                ) : (
                  <SubaccountLink reference={subaccount} />
                )}
                {releaseAt && (
                  <>
                    <br />
                    <span className="soft small">{words.pendingUntil(formatDay(releaseAt))}</span>
                  </>
                )}
              </>
            ),
          },
          {
            name: 'fee',
            head: words.fee,
            align: 'end',
            phone: 3,
            hasPhoneHead: true,
            isSoft: true,
            cell: ({ fee: borne }) => <Money amount={borne} asset={asset} />,
          },
          {
            name: 'net',
            head: words.net,
            align: 'end',
            phone: 2,
            cell: ({ net }) => (
              <b>
                <Money amount={net} asset={asset} />
              </b>
            ),
          },
        ]}
      />
      <div className="padded top-line small soft">
        {hasFees || (
          <p>
            {words.feeOf}: <Money amount={fee} asset={asset} />
          </p>
        )}
        <Rounding preview={preview} />
      </div>
    </>
  )
}

/** What rounding down took of all lines, and who gets it. */
function Rounding({ preview: { lines, asset, roundingTo } }: { preview: SplitPreview }) {
  const name = useSubaccountName(roundingTo)
  const tenThousandths = lines.reduce((sum, line) => sum + toTenThousandths(line.roundedOff), 0)
  if (tenThousandths === 0) return <p>{words.exact}</p>
  const amount = `${tenThousandths / 10_000} ${words.roundedUnit[asset]}`
  return <p>{words.rounding(amount, roundingTo === 'merchant' ? words.toYou : name)}</p>
}

/** Fractions of the smallest unit have at most four decimals. */
const toTenThousandths = (fraction: string) => Math.round(Number(fraction) * 10_000)
