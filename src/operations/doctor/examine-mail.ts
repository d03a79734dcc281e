import { after, type Clock, hour } from '../../base/clock.js'
import type { MailConfig } from '../../base/config.js'
import { countLateMails, hasKeptMails } from '../../mail/store-mails.js'
import type { Database } from '../../postgres/database.js'
import { type CheckResult, ok, warning } from './check-result.js'

/** Silent for a service that has no relay and nothing to send. */
export async function examineMail({
  db,
  clock,
  config,
}: {
  db: Database
  clock: Clock
  config: MailConfig | undefined
}): Promise<CheckResult[]> {
  const relay = config?.relay
  if (!relay)
    return (await hasKeptMails(db))
      ? [
          warning(
            'Mail',
            'mails of live mode were kept: there is no mail relay',
            'Set SMTP_URL and MAIL_FROM for every process. `npx manilla mail list` shows the mails.',
          ),
        ]
      : []
  const { late, lastError } = await countLateMails(db, after(clock.now(), -hour))
  if (late > 0)
    return [
      warning(
        'Mail',
        `${late} mails have waited for the relay for more than an hour: ${lastError}`,
        'Check SMTP_URL, MAIL_FROM and the relay, then `npx manilla mail send-test`.',
      ),
    ]
  return [ok('Mail', `mails are sent through ${relay.host}`)]
}
