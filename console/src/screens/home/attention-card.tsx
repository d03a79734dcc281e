import { type Attention, useAttention } from '../../frame/attention'
import { Button } from '../../parts/button'
import { Icon, type IconName } from '../../parts/icons'
import { type Asset, formatMoney } from '../../parts/money-format'
import { Card, ListItem } from '../../parts/page'
import type { Tone } from '../../parts/status'
import { formatWhen } from '../../parts/time-format'
import { homeTexts } from './texts'

const words = homeTexts.attention

/** What waits for a decision of this user. Absent if nothing does. */
export function AttentionCard() {
  const items = useAttention()
  if (items.length === 0) return null
  return (
    <div id="attention">
      <Card
        title={words.title}
        aside={<span className="soft small">{words.open(items.length)}</span>}
      >
        <ul className="list">
          {items.map((item) => (
            <Item key={`${item.kind} ${item.subject}`} item={item} />
          ))}
        </ul>
      </Card>
    </div>
  )
}

type Look = { icon: IconName; tone: Tone; title: string; text: string; action: string }

function Item({ item }: { item: Attention }) {
  const { icon, tone, title, text, action } = describe(item)
  const since = item.since === null ? '' : ` ${words.since(formatWhen(item.since))}.`
  return (
    <ListItem icon={icon} tone={tone} title={title} text={text + since}>
      <span className="open-arrow">
        <Icon name="right" />
      </span>
      {item.link && (
        <Button size="small" to={item.link}>
          {action}
        </Button>
      )}
    </ListItem>
  )
}

function describe({ kind, count, amounts, subject }: Attention): Look {
  const sums = Object.entries(amounts).map(([asset, amount]) => formatMoney(amount, asset as Asset))
  const money = new Intl.ListFormat('en').format(sums)
  switch (kind) {
    case 'approval': {
      const text = subject ? `${subject}.` : count === 1 ? '' : `${words.approvalText(money)}.`
      const title = words.approval(money, count)
      return { icon: 'payOut', tone: 'warn', title, text, action: words.review }
    }
    case 'batch_approval': {
      const title = words.batch_approval(money, count)
      return {
        icon: 'payOut',
        tone: 'warn',
        title,
        text: words.batch_approvalText,
        action: words.review,
      }
    }
    case 'held_payment': {
      const title = words.held_payment(money, count)
      const text = words.held_paymentText
      return { icon: 'held', tone: 'warn', title, text, action: words.decide }
    }
    case 'payment_request': {
      const title = words.payment_request(count)
      const text = words.payment_requestText
      return { icon: 'users', tone: 'warn', title, text, action: words.decide }
    }
    case 'endpoint_failing': {
      const title = words.endpoint_failing(subject === null ? null : hostOf(subject))
      const text = `${words.endpoint_failingText(count)}.`
      return { icon: 'hook', tone: 'bad', title, text, action: words.view }
    }
    case 'payout_review': {
      const title = words.payout_review(count)
      const text = words.payout_reviewText
      return { icon: 'clock', tone: 'warn', title, text, action: words.view }
    }
    case 'low_balance': {
      const title = words.low_balance(subject ?? Object.keys(amounts).join(', '))
      const text = `${words.low_balanceText(money)}.`
      return { icon: 'balance', tone: 'warn', title, text, action: words.view }
    }
    case 'case_overdue': {
      const title = words.case_overdue(count)
      const text = words.case_overdueText
      return { icon: 'clock', tone: 'warn', title, text, action: words.review }
    }
    case 'bank_account_waiting': {
      const title = words.bank_account_waiting(subject, count)
      const text = words.bank_account_waitingText
      return { icon: 'balance', tone: 'warn', title, text, action: words.view }
    }
    case 'settlement_wallet_waiting': {
      const title = words.settlement_wallet_waiting
      const text = words.settlement_wallet_waitingText(subject ?? '')
      return { icon: 'balance', tone: 'warn', title, text, action: words.view }
    }
    case 'settlement_destination_unconfirmed': {
      const title = words.settlement_destination_unconfirmed(subject ?? '')
      const text = words.settlement_destination_unconfirmedText
      return { icon: 'balance', tone: 'warn', title, text, action: words.review }
    }
    case 'kyc': {
      const { kyc: title, kycText: text, view: action } = words
      return { icon: 'file', tone: 'warn', title, text, action }
    }
    case 'second_factor': {
      const { second_factor: title, second_factorText: text, view: action } = words
      return { icon: 'shield', tone: 'brand', title, text, action }
    }
  }
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
