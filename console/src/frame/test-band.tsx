import { useQueryClient } from '@tanstack/react-query'
import { useMay } from '../api/session'
import { useWrite } from '../api/writes'
import { Menu, MenuItem, MenuLabel } from '../parts/menu'
import { notify } from '../parts/notify'
import { formatDuration } from '../parts/time-format'
import { commonTexts } from '../texts/common'
import { frameTexts } from './texts'

const words = frameTexts.clock
const hour = 3_600
const steps = [hour, 24 * hour, 72 * hour, 7 * 24 * hour]

/** Shows that this is test mode, and moves its clock forward. */
export function TestBand({ offsetMs }: { offsetMs: number }) {
  const mayMove = useMay('collect.create')
  return (
    <div className="band">
      <span role="status">
        {frameTexts.testBand}
        {offsetMs > 0 && <> · {frameTexts.testClock(formatDuration(offsetMs))}</>}
      </span>
      {mayMove && <ClockMenu />}
    </div>
  )
}

function ClockMenu() {
  const client = useQueryClient()
  const { write, isBusy } = useWrite()
  async function advance(seconds: number) {
    const isMoved = (await write('/v1/test/clock/advance', { seconds })) !== undefined
    // Everything is dated by the clock, the session's own offset included.
    if (isMoved) await client.invalidateQueries()
    void notify(isMoved ? words.moved : commonTexts.failed, isMoved ? 'good' : 'bad')
  }
  return (
    <Menu
      isFlat
      position="bottom"
      width={220}
      button={
        <button type="button" className="band-button" disabled={isBusy}>
          {words.advance}
        </button>
      }
    >
      <MenuLabel>{words.explain}</MenuLabel>
      {steps.map((seconds) => (
        <MenuItem key={seconds} onClick={() => void advance(seconds)}>
          {words.by(formatDuration(seconds * 1_000))}
        </MenuItem>
      ))}
    </Menu>
  )
}
