import type { Emulator, PaymentResult } from '#emulators/emulator.js'
import type { SandboxPayers } from '../collections/ports.js'
import type { SimulatedRail } from '../payouts/ports.js'
import { toProviderReference } from '../rails/bank/instruction.js'

/** Payers of an emulated provider, for `POST /v1/test/bank-transfers`. */
export function createEmulatedPayers(emulator: Emulator): SandboxPayers {
  // A repeated request must not pay twice.
  const results = new Map<string, Promise<PaymentResult | undefined>>()
  return {
    async receivePayment({ id, accountNumber, amount, sender, narration, copies }) {
      const paying =
        results.get(id) ??
        emulator.pay({
          accountNumber,
          amount,
          copies,
          ...(narration !== undefined && { narration }),
          ...(sender?.name !== undefined && { senderName: sender.name }),
          ...(sender?.accountNumber !== undefined && {
            senderAccountNumber: sender.accountNumber,
          }),
        })
      results.set(id, paying)
      const paid = await paying
      return paid?.result === 'rejected' ? 'rejected' : paid && { id: paid.id }
    },
    // It sends back what does not match.
    sendBack: () => undefined,
    sendNoticesNow: () => emulator.drainNotices(),
  }
}

/** An emulated provider as `POST /v1/test/disbursements/{reference}/settle` uses it. */
export function createEmulatedOutcomes(emulator: Emulator): SimulatedRail {
  return {
    name: `${emulator.provider}-test`,
    // It is sent by the request that created it, or by a worker.
    send: async () => {},
    async instruct({ reference, outcome }) {
      const spelled = toProviderReference(reference)
      if (!isKnown(emulator, spelled)) return 'not_received'
      const isDone =
        outcome === 'reverse'
          ? emulator.settle(spelled, 'success') || emulator.reverse(spelled)
          : (outcome === 'complete' || outcome === 'fail') &&
            emulator.settle(spelled, outcome === 'complete' ? 'success' : 'failed')
      if (outcome === 'reverse' && isDone) emulator.reverse(spelled)
      return isDone ? 'obeyed' : 'too_late'
    },
  }
}

function isKnown(emulator: Emulator, reference: string): boolean {
  const { payouts, refunds } = emulator.books()
  return (
    payouts.some((payout) => payout.reference === reference) ||
    refunds.some((refund) => refund.note === reference)
  )
}
