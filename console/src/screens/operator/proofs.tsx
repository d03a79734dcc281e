import type { Proof } from '../../api/answers'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { Card } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import { usePolled } from './use-polled'

/** Every claim about the ledger, checked against every row by a worker. */
export function Proofs() {
  const path = '/operator/v1/ledger-proofs'
  const { data } = usePolled<{ items: Proof[] }>('proofs', path)
  const { write, isBusy, refusal } = useWrite({ reads: ['proofs'], isKeyed: false })
  const items = data?.items ?? []
  const isRunning = items.some(({ endedAt }) => endedAt === null)
  return (
    <Card
      title={t.reconciliation.proofs}
      aside={
        <Button
          size="small"
          isBusy={isBusy}
          isDisabled={isRunning}
          onClick={() => void write(`${path}/run`)}
        >
          {t.reconciliation.prove}
        </Button>
      }
    >
      <Refusal error={refusal} />
      {items.length === 0 && <p className="soft padded">{t.reconciliation.notProven}</p>}
      <ul className="list">
        {items.slice(0, 5).map((proof) => (
          <li key={proof.id}>
            <div className="text">
              <Verdict proof={proof} />
              {proof.violations?.map(({ claim }) => (
                <p key={claim}>{claim}</p>
              ))}
              {proof.failure && <p>{proof.failure}</p>}
              <p className="soft small">
                <Time value={proof.endedAt ?? proof.requestedAt} />,{' '}
                {t.reconciliation.requestedBy(proof.requestedBy)}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Verdict({ proof: { endedAt, isClean, violations } }: { proof: Proof }) {
  if (endedAt === null) return <p className="soft">{t.reconciliation.proving}</p>
  if (isClean) return <Chip tone="good">{t.reconciliation.clean}</Chip>
  return <Chip tone="bad">{t.reconciliation.violated(violations?.length ?? 0)}</Chip>
}
