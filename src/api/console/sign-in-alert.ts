import { newId } from '../../base/ids.js'
import { formatMailTime } from '../../mail/content.js'
import { wantsMail } from '../../mail/preferences.js'
import { queueMails } from '../../mail/queue-mails.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { listSessionPlaces } from '../../team/list-sessions.js'
import type { User } from '../../team/users.js'
import { describeBrowser } from './describe-browser.js'
import type { Visit } from './visit.js'

/**
 * Mails a user who signs in from a browser or address that none of their sessions had. Versions of
 * a browser are not told apart: it updates itself.
 */
export async function alertOfNewPlace(
  tx: Tx,
  { now, address, browser: userAgent }: Pick<Visit, 'now' | 'address' | 'browser'>,
  { id: userId, email, name }: User,
): Promise<void> {
  const places = await listSessionPlaces(tx, userId)
  // The first session ever is the one in which the account was made.
  if (places.length === 0) return
  const browser = describeBrowser(userAgent)
  const isKnown =
    places.some((place) => place.address === address) &&
    places.some((place) => describeBrowser(place.browser) === browser)
  if (isKnown || !(await wantsMail(tx, { userId, kind: 'sign_in' }))) return
  queueMails(tx, now, [
    {
      environmentId: null,
      mode: 'live',
      kind: 'sign_in',
      causeId: newId(now),
      recipient: email,
      content: {
        subject: 'Manilla: new sign-in to your account',
        sender: null,
        heading: `New sign-in, ${name}`,
        blocks: [
          {
            type: 'paragraph',
            text: 'Your account was used from a browser or address that it was not used from before.',
          },
          {
            type: 'facts',
            facts: [
              ['Browser', browser],
              ['Address', address],
              ['Time', formatMailTime(now)],
            ],
          },
          {
            type: 'paragraph',
            text: 'If this was you, there is nothing to do. If not, change your password and end the session now.',
          },
          { type: 'page', label: 'See your sessions', path: '/you' },
        ],
        reason:
          'Sent by this Manilla service to the owner of the account, to protect it. ' +
          'You can switch mails like this off in the console, under "You".',
      },
    },
  ])
}
