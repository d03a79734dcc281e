import { Link } from '@tanstack/react-router'
import { useMay, useSession } from '../../api/session'
import { initialsOf } from '../../frame/initials'
import { currentTime, formatAge, formatUntil } from '../../parts/time-format'
import { texts } from '../../texts/en'

const words = texts.payouts.approvers
const shownMax = 5

/** A member who may approve, from a moment on, as the server decided it. */
export type Approver = {
  id: string
  name: string
  from: string
  because: { kind: 'joined' | 'password' | 'right'; id: string; name: string; at: string } | null
}

/** Whether a transfer of this amount would wait, for whom, and until when. */
export type ApprovalCheck = { needed: boolean; approvers: Approver[]; expiresAt: string }

const mayNow = ({ from }: Approver) => new Date(from) <= currentTime()

/** In the order in which they may approve, with what each is to the user who reads it. */
export function useApprovers(approvers: Approver[] = []) {
  const { user } = useSession()
  const isYou = ({ id }: { id: string }) => id === user.id
  /** `You may approve from 20 Nov, 14:05 (Lagos)`, in two parts. */
  const say = (approver: Approver) => {
    const until = mayNow(approver) ? null : formatUntil(approver.from)
    return isYou(approver) ? words.you(until) : words.other(approver.name, until)
  }
  /** `you joined 2 days ago`; empty if they may now. */
  const sayWhy = (approver: Approver) => {
    const { because } = approver
    if (!because || mayNow(approver)) return ''
    return words.because[because.kind](isYou(because) ? null : because.name, formatAge(because.at))
  }
  const own = approvers.find(isYou)
  return { own, others: approvers.filter((one) => one !== own), isYou, say, sayWhy }
}

export const shownOf = (approvers: Approver[]) => approvers.slice(0, shownMax)

/** Who may approve, from when and why not before, before it is sent. */
export function ApproverList({ approvers }: { approvers: Approver[] }) {
  const { say, sayWhy } = useApprovers(approvers)
  if (approvers.length === 0) return <NoApprover />
  return (
    <>
      {shownOf(approvers).map((one) => {
        const [who, what] = say(one)
        return (
          <div key={one.id} className="per">
            <span className={mayNow(one) ? 'av' : 'av q'} aria-hidden="true">
              {initialsOf(one.name)}
            </span>
            <span>
              <b>{who}</b>
              {what}
              <br />
              <span className="soft sm">{sayWhy(one)}</span>
            </span>
          </div>
        )
      })}
      <More count={approvers.length - shownMax} />
    </>
  )
}

export function More({ count }: { count: number }) {
  return count > 0 ? <p className="soft sm">{words.more(count)}</p> : null
}

/** Says what to do if nobody may approve. */
export function NoApprover() {
  const mayInvite = useMay('team.change')
  return (
    <p>
      <b>{words.nobody}</b> {mayInvite ? <Link to="/team">{words.invite}</Link> : words.ask}
    </p>
  )
}

/** One line for lists: the user's own turn, else the first who may approve. */
export function FirstApprover({ approvers }: { approvers: Approver[] | undefined }) {
  const { own, others, say } = useApprovers(approvers)
  const first = own ?? others[0]
  if (!first) return <span className="soft">{words.nobody}</span>
  if (own && mayNow(own)) return <b className="b nw">{words.yourTurn}</b>
  const more = approvers!.length - 1
  return (
    <span className="soft">
      {say(first).join('')}
      {!own && more > 0 && words.orOthers(more)}
    </span>
  )
}
