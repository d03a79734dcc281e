import { Link } from '@tanstack/react-router'
import type { PayoutFreeze } from '../../api/answers'
import { Note } from '../../parts/page'
import { formatWhen } from '../../parts/time-format'
import { commonTexts } from '../../texts/common'
import { useFreezes, useFrozenWords } from './freeze'
import { frozenTexts as words } from './frozen-texts'

const shownMax = 3

type Props = {
  /** The freezes that concern this page; by default all. */
  isShown?: (freeze: PayoutFreeze) => boolean
}

/** Says what is frozen and why. Absent while nothing is. */
export function FrozenNote({ isShown = () => true }: Props) {
  const freezes = (useFreezes('FROZEN').data?.items ?? []).filter(isShown)
  const say = useFrozenWords(freezes)
  const [first, ...others] = freezes
  if (!first) return null
  const isAll = freezes.some(({ kind }) => kind === 'merchant')
  const title =
    others.length === 0 ? words.frozen(say(first), first.reason) : words.several(freezes.length)
  return (
    <Note tone={isAll ? 'bad' : 'warn'} icon="snow" title={title}>
      {others.length === 0 ? (
        <p>
          {words.by(first.frozenBy.name, formatWhen(first.frozenAt))}
          {first.thawAskedBy && ` ${words.asked(first.thawAskedBy.name)}`}
        </p>
      ) : (
        freezes
          .slice(0, shownMax)
          .map((freeze) => <p key={freeze.id}>{words.one(say(freeze), freeze.reason)}</p>)
      )}
      {freezes.length > shownMax && <p>{words.more(freezes.length - shownMax)}</p>}
      <Link className="link" to="/payouts/freezes">
        {commonTexts.seeFreezes}
      </Link>
    </Note>
  )
}
