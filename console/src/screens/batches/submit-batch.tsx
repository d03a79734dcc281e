import type { ApprovalCheck } from '../../api/answers'
import { useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { Money } from '../../parts/money'
import { formatMoney, toUnits } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { ApproverList } from '../payouts/approvers'
import { useAvailable } from '../payouts/payer'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { type Batch, path, payableOf } from './batch'
import { WarningsLink } from './batch-items'
import { batchTexts } from './texts'

const words = batchTexts.page

/** Amount, fees and total of the items that can be paid. */
export function Totals({ batch }: { batch: Batch }) {
  const { asset, amount, fee, levy, totalDebit, status } = batch
  const isKnown = status !== 'VALIDATING'
  return (
    <>
      <Facts>
        <Fact name={words.from}>{batch.from && <SubaccountLink reference={batch.from} />}</Fact>
        <Fact name={words.items}>{payableOf(batch).toLocaleString('en')}</Fact>
        <Fact name={words.amount}>
          <Money amount={amount} asset={asset} />
        </Fact>
        <Fact name={words.fees}>
          {isKnown ? <Money amount={fee} asset={asset} /> : words.notKnown}
        </Fact>
        <Fact name={words.levies}>
          {toUnits(levy, asset) > 0n && <Money amount={levy} asset={asset} />}
        </Fact>
      </Facts>
      {isKnown && (
        <div className="total">
          <Facts>
            <Fact name={words.total}>
              <Money amount={totalDebit} asset={asset} />
            </Fact>
          </Facts>
        </div>
      )}
    </>
  )
}

/** The review before payment: totals, problems, warnings and the button. */
export function SubmitBatch({ batch }: { batch: Batch }) {
  const { reference, asset, amount, totalDebit, counts, status } = batch
  const { mode } = useScope()
  const mayPay = useMay('payouts.create')
  const payable = payableOf(batch)
  const available = useAvailable(batch.from ?? null)[asset] ?? null
  const total = toUnits(totalDebit, asset)
  const isShort = available !== null && total > available
  const check = useRead<ApprovalCheck>(
    'approval check',
    '/v1/disbursements/approval-check',
    { currency: asset, amount: String(amount), of: 'batch' },
    { isEnabled: mayPay && payable > 0 },
  ).data
  const isWaiting = check?.needed === true
  const { write, isBusy, refusal } = useWrite<Batch>({
    topics: ['batches', 'approvals', 'balances'],
    reads: ['batch', 'attention'],
  })
  const submit = async () => {
    const body = status === 'INVALID' ? { skipInvalid: true } : {}
    const submitted = await write(`${path}/${reference}/submit`, body)
    if (submitted)
      await notify(submitted.status === 'PENDING' ? words.waitsNote : words.submittedNote)
  }
  const sum = formatMoney(totalDebit, asset)
  return (
    <>
      {counts.invalid > 0 && (
        <Note tone="bad" title={words.invalid(counts.invalid)}>
          <p className="small">{words.invalidText}</p>
        </Note>
      )}
      {counts.warnings > 0 && (
        <Note tone="warn" title={words.warnings(counts.warnings)}>
          <p className="small">
            {words.warningsText(counts.warnings)} <WarningsLink reference={reference} />
          </p>
        </Note>
      )}
      <Card title={words.summary}>
        <Totals batch={batch} />
        {available !== null && (
          <Facts isSmall>
            <Fact name={words.available}>{formatMoney(available, asset)}</Fact>
            <Fact name={words.after}>{isShort ? null : formatMoney(available - total, asset)}</Fact>
          </Facts>
        )}
        {isShort && <p className="padded no-top-padding bad">{words.short}</p>}
        {!mayPay && <p className="padded top-line soft">{words.mayNot}</p>}
        {mayPay && payable > 0 && (
          <div className="padded top-line batch-submit">
            {isWaiting && (
              <>
                <h3>{words.mustApprove}</h3>
                <p className="soft small">{words.mustApproveText}</p>
                <ApproverList approvers={check.approvers} />
              </>
            )}
            <div className="sticky-actions">
              <Button
                kind="primary"
                size="big"
                icon={isWaiting || mode === 'live' ? 'finger' : 'payOut'}
                isWide
                isBusy={isBusy}
                isDisabled={isShort}
                onClick={() => void submit()}
              >
                {isWaiting
                  ? words.sendForApproval
                  : status === 'INVALID'
                    ? words.payValid(payable, sum)
                    : words.pay(sum)}
              </Button>
            </div>
            {(mode === 'live' || !isWaiting) && (
              <p className="hint centered">{mode === 'live' ? words.proof : words.atOnce}</p>
            )}
            <Refusal error={refusal} />
          </div>
        )}
      </Card>
    </>
  )
}
