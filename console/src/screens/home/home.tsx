import { homeTexts as words } from './texts'
import './home.css'
import { useScope } from '../../api/scope'
import { useMay, useSession } from '../../api/session'
import { Button } from '../../parts/button'
import { PageHead } from '../../parts/page'
import { currentTime, formatToday, hourOf } from '../../parts/time-format'
import { FrozenNote } from '../freezes/frozen-note'
import { AttentionCard } from './attention-card'
import { BalancesCard } from './balances-card'
import { Checklist, FirstPayment } from './checklist'
import { Figures } from './figures'
import { Latest } from './latest'
import { ReceivedCard } from './received-card'

export function Screen() {
  const { user } = useSession()
  const { mode } = useScope()
  const maySeeBalances = useMay('balances.see')
  const mayCollect = useMay('collect.create')
  const mayPay = useMay('payouts.create')
  const now = currentTime()
  const [firstName = user.name] = user.name.split(' ')
  return (
    <>
      <PageHead
        over={formatToday(now)}
        title={words.greet(greetingAt(hourOf(now)), firstName)}
        tab={words.title}
        actions={
          <>
            {mayCollect && (
              <Button icon="link" to="/collect?new=link">
                {words.link}
              </Button>
            )}
            {mayPay && (
              <Button icon="payOut" to="/payouts/new">
                {words.payOut}
              </Button>
            )}
          </>
        }
      />
      <FrozenNote />
      {mode === 'test' && mayCollect && <FirstPayment />}
      <AttentionCard />
      <div className={maySeeBalances ? 'with-aside stretch' : 'stack'}>
        <ReceivedCard />
        {maySeeBalances && <BalancesCard />}
      </div>
      <Figures hasBalance={maySeeBalances} />
      <div className={mode === 'test' ? 'with-aside' : 'stack'}>
        <Latest />
        {mode === 'test' && <Checklist />}
      </div>
    </>
  )
}

function greetingAt(hour: number): string {
  const { morning, afternoon, evening } = words.greetings
  if (hour < 12) return morning
  return hour < 17 ? afternoon : evening
}
