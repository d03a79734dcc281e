import { useState } from 'react'
import { usePages } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { type Column, DataTable } from '../../parts/data-table'
import { SelectField } from '../../parts/fields'
import { Icon } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Note, PageHead } from '../../parts/page'
import { Chip, type Tone } from '../../parts/status'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { statusWords } from '../../texts/status'
import { FreezeDialog } from '../freezes/freeze-dialog'
import { frozenTexts } from '../freezes/frozen-texts'
import { freezeTexts } from '../freezes/texts'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import type { ApiKey, ShownKey } from './api-key'
import { CreateKeyDialog } from './create-key'
import { keyTexts as words } from './key-texts'
import { ShownKeyDialog } from './shown-key'

type Chosen = { key: ApiKey; action: 'roll' | 'revoke' | 'freeze' }

export function Screen() {
  const { mode } = useScope()
  const list = usePages<ApiKey>('/v1/api-keys', {}, { limit: 100 })
  const [isCreating, setCreating] = useState(false)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [shown, setShown] = useState<ShownKey | null>(null)
  const [showsEnded, setShowsEnded] = useState(false)
  const reveal = useWrite<ShownKey>({ isKeyed: false })
  const isOver = ({ state }: ApiKey) => state === 'expired' || state === 'revoked'
  const rows = list.rows.filter((key) => showsEnded || !isOver(key))
  const hasEnded = list.rows.some(isOver)

  const made = (key: ShownKey) => {
    setCreating(false)
    setChosen(null)
    setShown(key)
    list.retry()
  }

  async function show(key: ApiKey) {
    const found = await reveal.write(`/v1/api-keys/${key.id}/reveal`)
    if (found) setShown(found)
    else void notify(commonTexts.failed, 'bad')
  }

  return (
    <>
      <PageHead
        title={words.title}
        under={words.intro}
        actions={
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            {words.create}
          </Button>
        }
      />
      {mode === 'live' && <Note tone="calm" icon="shield" title={words.liveNote} />}
      <Card>
        <DataTable
          caption={words.caption}
          columns={columnsOf({ show, choose: setChosen })}
          list={{ ...list, rows }}
          keyOf={({ id }) => id}
          empty={<EmptyState icon="key">{words.empty}</EmptyState>}
          foot={
            hasEnded && (
              <button type="button" className="link" onClick={() => setShowsEnded(!showsEnded)}>
                {showsEnded ? words.hideEnded : words.showEnded}
              </button>
            )
          }
        />
      </Card>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} onMade={made} />}
      {chosen?.action === 'roll' && (
        <RollDialog apiKey={chosen.key} onClose={() => setChosen(null)} onMade={made} />
      )}
      {chosen?.action === 'revoke' && (
        <RevokeDialog
          apiKey={chosen.key}
          onClose={() => setChosen(null)}
          onDone={() => {
            setChosen(null)
            list.retry()
          }}
        />
      )}
      {chosen?.action === 'freeze' && (
        <FreezeDialog
          target={{
            kind: 'key',
            subject: chosen.key.id,
            what: frozenTexts.what.key(chosen.key.name),
          }}
          onClose={() => setChosen(null)}
        />
      )}
      {shown && <ShownKeyDialog shown={shown} onClose={() => setShown(null)} />}
    </>
  )
}

const tones: Record<ApiKey['state'], Tone> = {
  active: 'good',
  rolled: 'warn',
  expired: 'calm',
  revoked: 'calm',
}

/** The first one, and how many more there are. */
function describeAddresses([first, ...others]: string[]): string {
  if (first === undefined) return words.anyAddress
  return others.length === 0 ? first : words.moreAddresses(first, others.length)
}

type KeyActions = { show: (key: ApiKey) => void; choose: (chosen: Chosen) => void }

function columnsOf({ show, choose }: KeyActions): Column<ApiKey>[] {
  return [
    {
      name: 'name',
      head: words.name,
      isGrowing: true,
      phone: 1,
      cell: ({ name, hint }) => (
        <>
          <span className="bold">{name}</span>
          <br />
          <span className="mono soft">{hint}</span>
        </>
      ),
    },
    {
      name: 'access',
      head: words.access,
      cell: ({ kind, permissions, payoutsWaitForApproval, allowedAddresses, subaccount }) => (
        <span className="no-wrap">
          {words.kinds[kind]}
          {kind === 'secret' && (
            <span className="soft">
              {' · '}
              {subaccount ? (
                <SubaccountLink reference={subaccount} />
              ) : permissions ? (
                words.permissionCount(permissions.length)
              ) : (
                words.allAccess
              )}
              {payoutsWaitForApproval && ` · ${words.waits}`}
            </span>
          )}
          <br />
          <span className="soft small">{describeAddresses(allowedAddresses)}</span>
        </span>
      ),
    },
    {
      name: 'used',
      head: words.lastUsed,
      phone: 3,
      cell: ({ lastUsedAt }) => (
        <span className="soft no-wrap">
          {lastUsedAt ? <Time value={lastUsedAt} show="utcShort" /> : words.never}
        </span>
      ),
    },
    {
      name: 'created',
      head: words.created,
      isWideOnly: true,
      cell: ({ createdAt, createdBy }) => (
        <span className="soft">
          <Time value={createdAt} show="utcShort" />
          {createdBy && (
            <span className="small">
              <br />
              {words.createdBy} {createdBy.name}
            </span>
          )}
        </span>
      ),
    },
    {
      name: 'state',
      head: words.state,
      phone: 2,
      cell: ({ state, expiresAt }) => (
        <>
          <Chip tone={tones[state]}>{statusWords.key[state]}</Chip>
          {expiresAt && (state === 'active' || state === 'rolled') && (
            <span className="soft small">
              {' '}
              {words.until} <Time value={expiresAt} show="utcShort" />
            </span>
          )}
        </>
      ),
    },
    {
      name: 'actions',
      head: <span className="hidden">{words.actions}</span>,
      align: 'end',
      phone: 4,
      cell: (key) => <Actions apiKey={key} show={show} choose={choose} />,
    },
  ]
}

function Actions({ apiKey, show, choose }: KeyActions & { apiKey: ApiKey }) {
  const { state, name, kind, isRevealable } = apiKey
  const mayFreeze = useMay('payouts.freeze')
  if (state === 'expired' || state === 'revoked') return null
  return (
    <Menu
      isFlat
      width={190}
      button={
        <button type="button" className="icon-button" aria-label={`${words.actions}: ${name}`}>
          <Icon name="dots" />
        </button>
      }
    >
      {isRevealable && <MenuItem onClick={() => show(apiKey)}>{words.reveal}</MenuItem>}
      {state === 'active' && (
        <MenuItem onClick={() => choose({ key: apiKey, action: 'roll' })}>{words.roll}</MenuItem>
      )}
      {mayFreeze && kind === 'secret' && (
        <MenuItem onClick={() => choose({ key: apiKey, action: 'freeze' })}>
          {freezeTexts.ofKey}
        </MenuItem>
      )}
      <MenuItem isDangerous onClick={() => choose({ key: apiKey, action: 'revoke' })}>
        {words.revoke}
      </MenuItem>
    </Menu>
  )
}

type DialogProps = { apiKey: ApiKey; onClose: () => void }

function RollDialog({
  apiKey,
  onClose,
  onMade,
}: DialogProps & { onMade: (key: ShownKey) => void }) {
  const [graceHours, setGraceHours] = useState('24')
  const { write, isBusy, refusal } = useWrite<ShownKey>()
  async function roll() {
    const body = { graceHours: Number(graceHours) }
    const made = await write(`/v1/api-keys/${apiKey.id}/roll`, body)
    if (made) onMade(made)
  }
  return (
    <ConfirmDialog
      title={words.rollTitle(apiKey.name)}
      confirmLabel={words.roll}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void roll()}
      onClose={onClose}
    >
      <p className="soft">{words.rollText}</p>
      <SelectField
        label={words.grace}
        options={words.graces}
        value={graceHours}
        onChange={setGraceHours}
      />
    </ConfirmDialog>
  )
}

function RevokeDialog({ apiKey, onClose, onDone }: DialogProps & { onDone: () => void }) {
  const { write, isBusy, refusal } = useWrite()
  async function revoke() {
    if ((await write(`/v1/api-keys/${apiKey.id}/revoke`)) === undefined) return
    void notify(words.revoked)
    onDone()
  }
  return (
    <ConfirmDialog
      title={words.revokeTitle(apiKey.name)}
      confirmLabel={words.revoke}
      isDangerous
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void revoke()}
      onClose={onClose}
    >
      <p className="soft">{words.revokeText}</p>
    </ConfirmDialog>
  )
}
