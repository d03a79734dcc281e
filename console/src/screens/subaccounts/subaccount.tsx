import { balanceTexts } from '../balances/texts'
import { subaccountTexts } from './texts'
import '../balances/balances.css'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Bank, Settlement, Subaccount } from '../../../../sdk/src/types'
import { type Page, usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { useFilters } from '../../parts/filters'
import { Icon } from '../../parts/icons'
import { AccountNumber, Reference, Wallet } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Menu, MenuItem } from '../../parts/menu'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { notify, useNotifiedRefusal } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { CloseDialog } from './close-dialog'
import { SettleDialog } from './settle-dialog'
import { EditDialog } from './subaccount-form'
import { SubaccountKeys } from './subaccount-keys'
import { SubaccountStatement } from './subaccount-statement'
import { SubaccountStatus } from './subaccount-status'
import { TransferDialog } from './transfer-dialog'
import { path } from './use-subaccounts'

const words = subaccountTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const read = useRead<Subaccount>('subaccount', `${path}/${reference}`)
  return (
    <ResourcePage path={`${path}/${reference}`} read={read} heights={[126, 420]} isWide>
      {(subaccount) => <SubaccountPage subaccount={subaccount} />}
    </ResourcePage>
  )
}

type Opened = 'transfer' | 'settle' | 'edit' | 'close' | null

function SubaccountPage({ subaccount }: { subaccount: Subaccount }) {
  const { reference, name, status, closing } = subaccount
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const mayChange = useMay('subaccounts.change')
  const mayPay = useMay('payouts.create')
  const maySeeBalances = useMay('balances.see')
  const { values, change } = useFilters([], ['asset'])
  const asset = (values.asset ?? 'NGN') as Asset
  useEffect(() => noteRecent({ path: `/subaccounts/${reference}`, title: name }), [reference, name])
  const isOpen = status !== 'CLOSED'
  return (
    <>
      <PageHead
        parent={{
          to: '/subaccounts',
          label: subaccountTexts.title,
          current: <Reference value={reference} />,
        }}
        title={name}
        beside={<SubaccountStatus subaccount={subaccount} />}
        actions={
          isOpen && (
            <>
              {mayChange && (
                <Button icon="swap" onClick={() => setOpened('transfer')}>
                  {words.moveMoney}
                </Button>
              )}
              {mayPay && maySeeBalances && status === 'ACTIVE' && (
                <Button kind="primary" icon="payOut" onClick={() => setOpened('settle')}>
                  {words.settle}
                </Button>
              )}
              {(mayChange || mayPay) && (
                <MoreMenu subaccount={subaccount} onOpen={(chosen) => setOpened(chosen)} />
              )}
            </>
          )
        }
      />
      {closing && <Note tone="brand" icon="clock" title={words.closing} />}
      {status === 'PAUSED' && !closing && <Note tone="warn" icon="held" title={words.paused} />}
      {status === 'CLOSED' && <Note tone="calm" icon="shield" title={words.closed} />}
      <Owed subaccount={subaccount} onShow={(shown) => change(shown)} />
      <Balances
        subaccount={subaccount}
        shown={asset}
        onChoose={(chosen) => change({ asset: chosen, type: undefined })}
      />
      <div className="with-aside wide-aside">
        <div className="stack">
          {maySeeBalances && (
            <SubaccountStatement key={asset} reference={reference} asset={asset} />
          )}
        </div>
        <div className="stack">
          <SubaccountFacts subaccount={subaccount} />
          <PaidTo subaccount={subaccount} />
          {maySeeBalances && <Settlements reference={reference} />}
          <SubaccountKeys subaccount={subaccount} />
        </div>
      </div>
      {opened === 'transfer' && <TransferDialog subaccount={subaccount} onClose={close} />}
      {opened === 'settle' && <SettleDialog subaccount={subaccount} onClose={close} />}
      {opened === 'edit' && <EditDialog subaccount={subaccount} onClose={close} />}
      {opened === 'close' && <CloseDialog subaccount={subaccount} onClose={close} />}
    </>
  )
}

type MenuProps = { subaccount: Subaccount; onOpen: (opened: 'edit' | 'close') => void }

function MoreMenu({ subaccount, onOpen }: MenuProps) {
  const { reference, status, closing } = subaccount
  const mayChange = useMay('subaccounts.change')
  const mayPay = useMay('payouts.create')
  const navigate = useNavigate()
  const { write, refusal } = useWrite<Subaccount>({
    method: 'PATCH',
    topics: ['balances'],
    reads: ['subaccount', 'subaccounts'],
  })
  useNotifiedRefusal(refusal)
  const isActive = status === 'ACTIVE'
  const turn = async () => {
    const body = { status: isActive ? 'PAUSED' : 'ACTIVE' }
    if (!(await write(`${path}/${reference}`, body))) return
    void notify(isActive ? words.pausedNote : words.resumedNote)
  }
  return (
    <Menu
      button={
        <button
          type="button"
          className="button"
          aria-label={commonTexts.more}
          style={{ flex: 'none' }}
        >
          <Icon name="dots" size={16} />
        </button>
      }
    >
      {mayPay && isActive && (
        <MenuItem
          icon="payOut"
          onClick={() =>
            void navigate({ to: '/payouts/new', search: { from: reference } as never })
          }
        >
          {words.payOut}
        </MenuItem>
      )}
      {mayChange && (
        <MenuItem icon="gear" onClick={() => onOpen('edit')}>
          {words.edit}
        </MenuItem>
      )}
      {mayChange && !closing && (
        <>
          <MenuItem icon={isActive ? 'held' : 'play'} onClick={() => void turn()}>
            {isActive ? words.pause : words.resume}
          </MenuItem>
          <MenuItem icon="close" isDangerous onClick={() => onOpen('close')}>
            {words.close}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

type OwedProps = {
  subaccount: Subaccount
  onShow: (filters: Record<string, string | undefined>) => void
}

/** What it owes, why, and how the merchant gets it back. */
function Owed({ subaccount: { name, balances }, onShow }: OwedProps) {
  return balances
    .filter(({ owed, asset }) => toUnits(owed, asset) > 0n)
    .map(({ owed, asset }) => (
      <Note key={asset} tone="warn" title={words.owedTitle(name, formatMoney(owed, asset))}>
        <p>{words.owedText}</p>
        <p>
          <button
            type="button"
            className="link"
            onClick={() => onShow({ asset, type: 'split_refund', period: 'all' })}
          >
            {words.owedHow}
          </button>
        </p>
      </Note>
    ))
}

type BalancesProps = {
  subaccount: Subaccount
  shown: Asset
  onChoose: (asset: Asset) => void
}

/** One card an asset. The chosen one names the statement below. */
function Balances({ subaccount, shown, onChoose }: BalancesProps) {
  return (
    <div className="three-columns balances">
      {subaccount.balances.map(({ asset, available, held, pending, owed }) => (
        <button
          key={asset}
          type="button"
          className={asset === shown ? 'card padded balance selected' : 'card padded balance'}
          aria-pressed={asset === shown}
          onClick={() => onChoose(asset)}
        >
          <span className="soft">{balanceTexts.names[asset]}</span>
          <p className="figure smaller">
            <Money amount={available} asset={asset} />
          </p>
          <p className="soft small">
            {toUnits(held, asset) === 0n ? words.nothingHeld : words.held(formatMoney(held, asset))}
          </p>
          <p className="soft small">{words.pending(formatMoney(pending, asset))}</p>
          {toUnits(owed, asset) > 0n && (
            <p className="small bad">{words.owed(formatMoney(owed, asset))}</p>
          )}
        </button>
      ))}
    </div>
  )
}

function SubaccountFacts({ subaccount }: { subaccount: Subaccount }) {
  const { externalReference, email, createdAt, closedAt } = subaccount
  return (
    <JsonCard title={words.subaccount} value={subaccount} words={words}>
      <Facts>
        <Fact name={words.externalReference}>{externalReference}</Fact>
        <Fact name={words.email}>{email}</Fact>
        <Fact name={words.created}>
          <Time value={createdAt} />
        </Fact>
        <Fact name={words.closedAt}>{closedAt && <Time value={closedAt} />}</Fact>
      </Facts>
    </JsonCard>
  )
}

function PaidTo({ subaccount }: { subaccount: Subaccount }) {
  const { bankAccount, walletAddress, settlement } = subaccount
  const { data } = useRead<Page<Bank>>('banks', '/v1/banks')
  const bank = data?.items.find(({ code }) => code === bankAccount?.bankCode)
  const hasNone = !bankAccount && !walletAddress
  return (
    <Card title={words.paidTo}>
      {hasNone && <p className="soft hint">{words.noDestination}</p>}
      <Facts>
        <Fact name={words.holder}>{bankAccount?.accountName}</Fact>
        <Fact name={words.bank}>{bankAccount && (bank?.name ?? bankAccount.bankCode)}</Fact>
        <Fact name={words.accountNumber}>
          {bankAccount && <AccountNumber value={bankAccount.accountNumber} />}
        </Fact>
        <Fact name={words.wallet}>{walletAddress && <Wallet value={walletAddress} />}</Fact>
        <Fact name={words.schedule}>{subaccountTexts.schedules[settlement.schedule]}</Fact>
        <Fact name={words.reserve}>
          {settlement.reserve > 0 && <Money amount={settlement.reserve} asset="NGN" />}
        </Fact>
        <Fact name={words.minimum}>
          {settlement.schedule !== 'off' && <Money amount={settlement.minimum} asset="NGN" />}
        </Fact>
      </Facts>
    </Card>
  )
}

const settlementsShown = 5

function Settlements({ reference }: { reference: string }) {
  const list = usePages<Settlement>(
    '/v1/settlements',
    { subaccount: reference },
    { limit: settlementsShown },
  )
  return (
    <Card title={words.settlements}>
      <DataTable
        caption={words.settlementsCaption}
        list={list}
        keyOf={(settlement) => settlement.reference}
        pathOf={(settlement) => `/settlements/${settlement.reference}`}
        empty={<p className="soft hint">{words.noSettlements}</p>}
        columns={[
          {
            name: 'created',
            head: words.created,
            phone: 1,
            isGrowing: true,
            cell: ({ createdAt }) => <Time value={createdAt} />,
          },
          {
            name: 'amount',
            head: words.amount,
            align: 'end',
            phone: 2,
            cell: ({ amount }) => <Money amount={amount} asset="NGN" />,
          },
          {
            name: 'status',
            head: subaccountTexts.columns.status,
            phone: 3,
            cell: ({ status }) => <Status of="settlement" value={status} />,
          },
        ]}
      />
    </Card>
  )
}
