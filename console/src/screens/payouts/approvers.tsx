import { Link } from '@tanstack/react-router'
import type { ApprovalCheck } from '../../api/answers'
import { useMay, useSession } from '../../api/session'
import { PersonRow } from '../../parts/person'
import { formatAge, formatUntil } from '../../parts/time-format'
import { payoutTexts } from './texts'

const words = payoutTexts.approvers
const shownMax = 5

/** A member who may approve, from a moment on, as the server decided it. */
export type Approver = ApprovalCheck['approvers'][number]

/** What they may do: with a payout or a batch, or with a looser rule. */
type Verb = 'approve' | 'confirm'

/** Who may approve, as the user reads it: the user first, then in the order of their times. */
export function useApprovers(approvers: Approver[] = [], verb: Verb = 'approve') {
  const { user } = useSession()
  const isYou = ({ id }: { id: string }) => id === user.id
  const own = approvers.find(isYou)
  const others = approvers.filter((one) => one !== own)
  const inOrder = own ? [own, ...others] : others
  /** `You`, ` may approve from 20 Nov, 14:05 (Lagos): you joined 2 days ago`. */
  const say = (approver: Approver): readonly [string, string] => {
    const { name, from, mayNow, because } = approver
    const who = isYou(approver) ? words.you : name
    if (mayNow) return [who, words.may(verb)]
    const why = because
      ? words.because[because.kind](isYou(because) ? null : because.name, formatAge(because.at))
      : null
    return [who, words.mayFrom(verb, formatUntil(from), why)]
  }
  return { own, inOrder, shown: inOrder.slice(0, shownMax), say }
}

type ListProps = { approvers: Approver[]; verb?: Verb }

/** Who may approve or confirm it, from when, and why not before. */
export function ApproverList({ approvers, verb = 'approve' }: ListProps) {
  const { shown, say } = useApprovers(approvers, verb)
  if (approvers.length === 0) return <NoApprover verb={verb} />
  return (
    <>
      {shown.map((one) => (
        <PersonRow key={one.id} name={one.name} says={say(one)} isOpen={!one.mayNow} />
      ))}
      <More count={approvers.length - shown.length} />
    </>
  )
}

export function More({ count }: { count: number }) {
  return count > 0 ? <p className="soft small">{words.more(count)}</p> : null
}

/** Says what to do if nobody may approve. */
export function NoApprover({ verb = 'approve' }: { verb?: Verb }) {
  const mayInvite = useMay('team.change')
  return (
    <p>
      <b>{words.nobody(verb)}</b>{' '}
      {mayInvite ? (
        <Link className="link" to="/team">
          {words.invite}
        </Link>
      ) : (
        words.ask
      )}
    </p>
  )
}

/** One line for lists: when the user may approve, else who may first. */
export function FirstApprover({ approvers = [] }: { approvers: Approver[] | undefined }) {
  const { own, inOrder, say } = useApprovers(approvers)
  const [first] = inOrder
  const more = own ? 0 : approvers.length - 1
  return (
    <span className="under-name soft small">
      {first ? say(first).join('') : words.nobody('approve')}
      {more > 0 && words.orOthers(more)}
    </span>
  )
}
