import { useState } from 'react'
import type { Subaccount } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { Card, ListItem } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import type { ApiKey, ShownKey } from '../developers/api-key'
import { CreateKeyDialog } from '../developers/create-key'
import { ShownKeyDialog } from '../developers/shown-key'
import { subaccountTexts } from './texts'

const words = subaccountTexts.page

/** Keys that read this sub-account and nothing else. Only those who manage keys see them. */
export function SubaccountKeys({ subaccount }: { subaccount: Subaccount }) {
  const mayChange = useMay('keys.change')
  return mayChange ? <Keys subaccount={subaccount} /> : null
}

function Keys({ subaccount: { reference, name, status } }: { subaccount: Subaccount }) {
  const list = usePages<ApiKey>('/v1/api-keys', {}, { limit: 100 })
  const [isCreating, setCreating] = useState(false)
  const [shown, setShown] = useState<ShownKey | null>(null)
  const own = list.rows.filter(
    ({ subaccount, state }) =>
      subaccount === reference && (state === 'active' || state === 'rolled'),
  )
  return (
    <Card
      title={words.keys}
      aside={
        status !== 'CLOSED' && (
          <Button size="small" icon="plus" onClick={() => setCreating(true)}>
            {words.createKey}
          </Button>
        )
      }
    >
      <p className="soft hint">{own.length === 0 ? words.noKeys : words.keysText}</p>
      {own.length > 0 && (
        <ul className="list">
          {own.map(({ id, name: keyName, hint, state, lastUsedAt }) => (
            <ListItem
              key={id}
              title={keyName}
              text={
                <>
                  <span className="mono">{hint}</span> ·{' '}
                  {lastUsedAt ? <Time value={lastUsedAt} /> : words.neverUsed}
                </>
              }
            >
              <Chip tone={state === 'active' ? 'good' : 'warn'}>{statusWords.key[state]}</Chip>
            </ListItem>
          ))}
        </ul>
      )}
      {isCreating && (
        <CreateKeyDialog
          subaccount={{ reference, name }}
          onClose={() => setCreating(false)}
          onMade={(made) => {
            setCreating(false)
            setShown(made)
            list.retry()
          }}
        />
      )}
      {shown && <ShownKeyDialog shown={shown} onClose={() => setShown(null)} />}
    </Card>
  )
}
