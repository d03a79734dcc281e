import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { MerchantKey, OneMerchant } from '../../api/answers'
import { useRead } from '../../api/reads'
import { writeScope } from '../../api/scope'
import { sessionKey } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { DataTable } from '../../parts/data-table'
import { Reference } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Fact, Facts, PageHead, SkeletonRows } from '../../parts/page'
import { ErrorPage } from '../../parts/refusals'
import { Chip, Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { Amounts } from './amounts'
import { CreditDialog } from './credit-dialog'
import { FreezeDialog } from './freeze-dialog'
import { operatorTexts as t } from './texts'
import './operator.css'
import { ReasonDialog } from './reason-dialog'

type Dialog = 'suspension' | 'view' | 'credit' | 'freeze'

export function Screen() {
  const { id } = useParams({ strict: false }) as { id: string }
  const path = `/operator/v1/merchants/${id}`
  const { data: merchant, error, refetch } = useRead<OneMerchant>('merchant', path)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const view = useView()
  if (error) return <ErrorPage error={error} retry={() => void refetch()} />
  if (!merchant)
    return (
      <Card>
        <SkeletonRows />
      </Card>
    )
  const close = () => setDialog(null)
  const { name, suspendedAt } = merchant
  return (
    <>
      <PageHead
        title={name}
        parent={{ to: '/operator/merchants', label: t.merchants.title, current: name }}
        beside={suspendedAt ? <Chip tone="bad">{t.merchants.suspended}</Chip> : null}
        actions={
          <>
            <Button icon="users" onClick={() => setDialog('view')}>
              {t.merchant.view}
            </Button>
            <Button icon="plus" onClick={() => setDialog('credit')}>
              {t.merchant.credit}
            </Button>
            <Button icon="snow" onClick={() => setDialog('freeze')}>
              {t.freezes.create}
            </Button>
            <Button
              kind={suspendedAt ? 'primary' : 'danger'}
              onClick={() => setDialog('suspension')}
            >
              {suspendedAt ? t.merchant.resume : t.merchant.suspend}
            </Button>
          </>
        }
      />
      <div className="with-aside">
        <div className="stack">
          <Keys merchant={merchant} path={path} />
        </div>
        <div className="stack">
          <About merchant={merchant} />
          <Money merchant={merchant} />
        </div>
      </div>
      {dialog === 'suspension' && (
        <ReasonDialog
          title={(suspendedAt ? t.merchant.resumeTitle : t.merchant.suspendTitle)(name)}
          text={suspendedAt ? '' : t.merchant.suspendText}
          confirmLabel={suspendedAt ? t.merchant.resume : t.merchant.suspend}
          path={`${path}/${suspendedAt ? 'resume' : 'suspend'}`}
          reads={['merchant']}
          done={suspendedAt ? t.merchants.active : t.merchants.suspended}
          isDangerous={!suspendedAt}
          onClose={close}
        />
      )}
      {dialog === 'view' && (
        <ReasonDialog
          title={t.merchant.viewTitle(name)}
          text={t.merchant.viewText}
          confirmLabel={t.merchant.viewButton}
          path={`${path}/view`}
          reads={[]}
          done={t.merchant.viewTitle(name)}
          onDone={() => void view(id)}
          onClose={close}
        />
      )}
      {dialog === 'freeze' && <FreezeDialog merchant={merchant} onClose={close} />}
      {dialog === 'credit' && <CreditDialog merchant={merchant} onClose={close} />}
    </>
  )
}

/** Reads the session again, which now has the merchant, and opens it. */
function useView() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (merchant: string) => {
    await client.refetchQueries({ queryKey: sessionKey })
    writeScope({ merchant, mode: 'live' })
    await navigate({ to: '/' })
  }
}

function About({ merchant }: { merchant: OneMerchant }) {
  return (
    <Card title={t.merchant.facts}>
      <Facts>
        <Fact name={t.merchant.id}>
          <Reference value={merchant.id} isShort />
        </Fact>
        <Fact name={t.merchants.created}>
          <Time value={merchant.createdAt} />
        </Fact>
        {merchant.suspendedAt && (
          <Fact name={t.merchant.suspendedSince}>
            <Time value={merchant.suspendedAt} />
          </Fact>
        )}
        <Fact name={t.merchant.members}>{merchant.members}</Fact>
        <Fact name={t.merchant.kyc}>
          <Link className="link" to={`/operator/kyc/${merchant.id}`}>
            <Status
              of="kyc"
              value={merchant.kycStatus}
              tone={merchant.kycStatus === 'APPROVED' ? 'good' : 'calm'}
            />
          </Link>
        </Fact>
        <Fact name={t.merchant.fees}>
          <Link className="link" to={`/operator/fees/${merchant.id}`}>
            {t.health.open}
          </Link>
        </Fact>
      </Facts>
    </Card>
  )
}

function Money({ merchant: { balances, received } }: { merchant: OneMerchant }) {
  return (
    <Card title={t.merchant.balances}>
      <Facts>
        {(['live', 'test'] as const).map((mode) => (
          <Fact key={mode} name={mode}>
            <Amounts amounts={balances[mode]} />
          </Fact>
        ))}
        {(['live', 'test'] as const).map((mode) => (
          <Fact key={`received ${mode}`} name={`${t.merchant.received}, ${mode}`}>
            <Amounts amounts={received[mode]} />
          </Fact>
        ))}
      </Facts>
    </Card>
  )
}

function Keys({ merchant, path }: { merchant: OneMerchant; path: string }) {
  const [revoked, setRevoked] = useState<MerchantKey | null>(null)
  const { write, isBusy, refusal } = useWrite({ reads: ['merchant'], isKeyed: false })
  return (
    <Card title={t.merchant.keys}>
      <DataTable
        caption={t.merchant.keysCaption}
        list={{ rows: merchant.apiKeys }}
        keyOf={({ reference }) => reference}
        empty={<EmptyState icon="key">{t.merchant.noKeys}</EmptyState>}
        columns={[
          {
            name: 'key',
            head: t.merchant.key,
            phone: 1,
            isGrowing: true,
            cell: ({ name, hint }) => (
              <>
                <b>{name}</b>
                <br />
                <span className="soft mono">{hint}</span>
              </>
            ),
          },
          { name: 'mode', head: t.mode, phone: 3, cell: ({ mode }) => mode },
          {
            name: 'state',
            head: t.state,
            phone: 2,
            cell: ({ state }) => <Status of="key" value={state} />,
          },
          {
            name: 'used',
            head: t.merchant.lastUsed,
            align: 'end',
            isWideOnly: true,
            cell: ({ lastUsedAt }) => (
              <span className="soft">{lastUsedAt ? <Time value={lastUsedAt} /> : t.never}</span>
            ),
          },
          {
            name: 'revoke',
            head: <span className="hidden">{t.merchant.revoke}</span>,
            align: 'end',
            phone: 4,
            cell: (key) =>
              key.state === 'revoked' || key.state === 'expired' ? null : (
                <Button size="small" kind="danger" onClick={() => setRevoked(key)}>
                  {t.merchant.revoke}
                </Button>
              ),
          },
        ]}
      />
      {revoked && (
        <ConfirmDialog
          isDangerous
          title={t.merchant.revokeTitle(revoked.name)}
          confirmLabel={t.merchant.revoke}
          isBusy={isBusy}
          refusal={refusal}
          onClose={() => setRevoked(null)}
          onConfirm={async () => {
            const data = await write(`${path}/keys/${revoked.reference}/revoke`)
            if (data === undefined) return
            void notify(t.merchant.revokeTitle(revoked.name))
            setRevoked(null)
          }}
        >
          <p className="soft">{t.merchant.revokeText}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
