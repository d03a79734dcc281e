import { strict as assert } from 'node:assert'
import type { Clock } from '../../base/clock.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatMoney, parseMoney } from '../../money/amounts.js'
import { assignPayment } from '../assign-payment.js'
import { creditBalance } from '../credit-balance.js'
import { decideOpenPayout, type Queried, queryAttempt } from '../decide-open-payout.js'
import type {
  ActionKind,
  ActionPayloads,
  ConsoleOperator,
  OperatorAction,
  Performance,
} from '../operator-actions.js'
import { changeRailPause } from '../pause-rail.js'
import type { OperatorParts } from './operator-parts.js'

type Tools = Pick<OperatorParts, 'db' | 'rails'> & { clock: Clock; operator: ConsoleOperator }

type Performers = { [Kind in ActionKind]: (payload: ActionPayloads[Kind]) => Performance }

const nothing = async () => undefined

/** What each action does. The audit line of its effect names who confirmed it. */
function performersOf({ db, rails, clock, operator }: Tools): Performers {
  const pause = (isPaused: boolean) => (payload: ActionPayloads['rail.pause']) => ({
    prepare: nothing,
    perform: async (tx: Parameters<Performance['perform']>[0]) => {
      await changeRailPause(tx, clock.now(), { ...payload, isPaused }, operator)
      return { rail: payload.rail, isPaused }
    },
  })
  return {
    'payout.decide': (payload) => ({
      prepare: () => queryAttempt(db, payload.reference, (work) => work(rails)),
      async perform(tx, queried) {
        const decision = { ...payload, queried: queried as Queried }
        const { status } = await decideOpenPayout(tx, clock.now(), decision, operator)
        return { reference: payload.reference, status }
      },
    }),
    'notice.assign': (payload) => ({
      prepare: nothing,
      async perform(tx) {
        await assignPayment(tx, clock.now(), payload, operator)
        return { id: payload.id, account: payload.account }
      },
    }),
    'rail.pause': pause(true),
    'rail.resume': pause(false),
    'balance.credit': (payload) => ({
      prepare: nothing,
      async perform(tx) {
        const { merchant, mode, asset, note, once } = payload
        const environment = await getEnvironment(tx, { merchant, mode })
        const amount = parseMoney(payload.amount, asset)
        assert(typeof amount === 'bigint', 'the amount was checked when it was proposed')
        const credit = { environment, asset, amount, note, once }
        const { reference, available } = await creditBalance(tx, clock.now(), credit, operator)
        return { reference, available: formatMoney(available, asset) }
      },
    }),
  }
}

export function performanceOf(
  tools: Tools,
  { kind, payload }: Pick<OperatorAction, 'kind' | 'payload'>,
): Performance {
  const perform = performersOf(tools)[kind] as (payload: unknown) => Performance
  return perform(payload)
}
