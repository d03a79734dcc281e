import { ProgressBar } from '../../parts/progress-bar'
import './conversions.css'
import { Button } from '../../parts/button'
import { Note } from '../../parts/page'
import { conversionTexts as words } from './texts'
import type { Price } from './use-conversion-quote'

/** How long the price is valid, and a button to get a new one. */
export function PriceTimer({ price }: { price: Price }) {
  const { quote, secondsLeft, heldSeconds, isExpired, isFetching, renew } = price
  if (!quote) return null
  const share = heldSeconds > 0 ? Math.min(1, secondsLeft / heldSeconds) : 0
  return (
    <div className="timer">
      {isExpired ? (
        <Note tone="warn" icon="clock" title={words.expired} />
      ) : (
        <>
          <p className="soft small" role="timer" aria-live="off">
            {words.holds(formatSeconds(secondsLeft))}
          </p>
          <ProgressBar share={share} />
        </>
      )}
      <p className="hidden" role="status">
        {isExpired && words.expired}
      </p>
      <Button size="small" icon="redo" isBusy={isFetching} onClick={renew}>
        {words.newPrice}
      </Button>
    </div>
  )
}

/** `0:42`. */
const formatSeconds = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
