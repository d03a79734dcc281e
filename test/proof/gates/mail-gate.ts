import type { MailRelay, RelayAnswer } from '../../../src/mail/ports.js'
import type { Keeper } from './passage.js'

const unanswered: RelayAnswer = {
  isAccepted: false,
  why: 'temporary',
  error: 'The connection was closed.',
}

/**
 * The way of one instance to a mail relay. SMTP is a conversation, so the gate is around it, not in
 * it: a mail reaches the server, or does not, and the instance gets the answer, or does not.
 */
export function openMailGate(relay: MailRelay, keeper: Keeper): MailRelay & { kill(): void } {
  let isDead = false
  return {
    async send(mail) {
      const passage = { kind: 'call', name: 'relay send' } as const
      const entry = isDead ? 'fail' : await keeper.enter(passage)
      if (entry === 'fail' || isDead) return unanswered
      const answer = await relay.send(mail)
      if (entry === 'repeat') await relay.send(mail)
      return (await keeper.leave(passage)) === 'lose' ? unanswered : answer
    },
    kill() {
      isDead = true
    },
  }
}
