import type { Provider } from '../../../../emulators/emulator.js'
import {
  magicAccounts,
  sandboxBankItself,
} from '../../../../src/simulation/sandbox-bank/magic-accounts.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { merchantOf } from './merchant.js'
import {
  bankPath,
  checkAtBank,
  checkBankPayout,
  type Paying,
  reverseAtProvider,
  settleAtProvider,
  workUntil,
} from './payouts.js'

const funded = 10_000_000
const amount = 2_000_000

const ordinaryAccount = { bankCode: '058', accountNumber: '0123456789' }

const endings = {
  completes: { status: 'COMPLETED', events: ['submitted', 'completed'], state: 'success' },
  fails: { status: 'FAILED', events: ['submitted', 'failed'], state: 'failed' },
  'is reversed': {
    status: 'REVERSED',
    events: ['submitted', 'completed', 'reversed'],
    state: 'reversed',
  },
} as const

/** A path that pays out once; `run` says what the outside does after that. */
function payOut(path: {
  name: string
  settings: WorldSettings
  account?: { bankCode: string; accountNumber: string }
  ending: keyof typeof endings
  follow?: (world: World, paying: Paying) => Promise<void>
}): Path {
  const { account = ordinaryAccount } = path
  const { status, events, state } = endings[path.ending]
  return definePath<Paying>({
    name: path.name,
    settings: path.settings,
    async prepare(world) {
      const merchant = merchantOf(world)
      await merchant.fund('NGN', funded)
      // It would end payouts by a timer, in real time: `follow` ends them.
      if (world.outside.emulator) world.outside.emulator.faults.arePayoutsHeld = true
      return { merchant, reference: '' }
    },
    async run(world, paying) {
      const payout = await paying.merchant.post(bankPath, { amount, ...account })
      paying.reference = payout.reference
      await path.follow?.(world, paying)
    },
    async check(world, paying) {
      await checkBankPayout(paying, { status, events: [...events], funded })
      const { accountNumber } = account
      await checkAtBank(world, paying.reference, { amount, accountNumber, state })
    },
  })
}

/** An account of the sandbox bank that misbehaves, by how its description begins. */
function magicAccount(beginning: string) {
  const { number } = magicAccounts.find(({ happens }) => happens.startsWith(beginning))!
  return { bankCode: sandboxBankItself.code, accountNumber: number }
}

async function waitForReversal(world: World, { merchant, reference }: Paying): Promise<void> {
  await workUntil(world, async () => {
    const { status } = await merchant.get(`${bankPath}/${reference}`)
    return status === 'REVERSED'
  })
}

const sandbox: WorldSettings = { bank: 'sandbox' }

export const sandboxPayouts: Path[] = [
  payOut({ name: 'bank payout on the sandbox completes', settings: sandbox, ending: 'completes' }),
  payOut({
    name: 'bank payout on the sandbox completes, followed by the API',
    settings: { ...sandbox, followsPayouts: true },
    ending: 'completes',
  }),
  payOut({
    name: 'bank payout on the sandbox fails',
    settings: sandbox,
    account: magicAccount('Fails: the account is closed'),
    ending: 'fails',
  }),
  payOut({
    name: 'bank payout on the sandbox fails, followed by the API',
    settings: { ...sandbox, followsPayouts: true },
    account: magicAccount('Fails: the account is closed'),
    ending: 'fails',
  }),
  payOut({
    name: 'bank payout on the sandbox is unknown, then completes',
    settings: sandbox,
    account: magicAccount('Is unknown for 30 seconds, then completes'),
    ending: 'completes',
  }),
  payOut({
    name: 'bank payout on the sandbox is lost, then completes',
    settings: sandbox,
    account: magicAccount('Is lost by the bank'),
    ending: 'completes',
  }),
  payOut({
    name: 'bank payout on the sandbox is reversed',
    settings: sandbox,
    account: magicAccount('Completes and is reversed'),
    ending: 'is reversed',
    follow: waitForReversal,
  }),
]

const unknownRounds = 3

export function providerPayouts(provider: Provider): Path[] {
  const settings: WorldSettings = { bank: provider }
  return [
    payOut({
      name: `bank payout on ${provider} completes`,
      settings,
      ending: 'completes',
      follow: (world, { reference }) => settleAtProvider(world, reference, 'success'),
    }),
    payOut({
      name: `bank payout on ${provider} fails`,
      settings,
      ending: 'fails',
      follow: (world, { reference }) => settleAtProvider(world, reference, 'failed'),
    }),
    payOut({
      name: `bank payout on ${provider} is unknown, then completes`,
      settings,
      ending: 'completes',
      async follow(world, { reference }) {
        let rounds = 0
        await workUntil(world, async () => {
          rounds += 1
          return rounds > unknownRounds
        })
        // The notice is lost, too: only polls find how it ended.
        world.outside.emulator!.faults.notices = 'lost'
        await settleAtProvider(world, reference, 'success')
      },
    }),
    payOut({
      name: `bank payout on ${provider} is reversed`,
      settings,
      ending: 'is reversed',
      async follow(world, paying) {
        await settleAtProvider(world, paying.reference, 'success')
        await reverseAtProvider(world, paying)
        await waitForReversal(world, paying)
      },
    }),
  ]
}
